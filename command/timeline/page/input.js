// SPDX-License-Identifier: LGPL-2.1-or-later
// Mouse and keys, and the start of the page.

const WHEEL_ZOOM = 0.0016;
const CLICK_PIXELS = 4;

class Mouse {
	constructor(app)
	{
		const { plot } = app;

		this.app = app;
		this.tip = by_id('tip');
		plot.addEventListener('wheel', event => this.wheel(event),
				      { passive: false });
		plot.addEventListener('pointerdown', event => this.down(event));
		plot.addEventListener('pointermove', event => this.move(event));
		plot.addEventListener('pointerup', event => this.up(event));
		plot.addEventListener('pointercancel', () => this.leave());
		plot.addEventListener('pointerleave', () => this.leave());
		plot.addEventListener('dblclick', event =>
			this.double_click(event));
		this.watch_overview(by_id('overview'));
	}

	at(event)
	{
		const box = this.app.plot.getBoundingClientRect();

		return [event.clientX - box.left, event.clientY - box.top];
	}

	wheel(event)
	{
		const { app } = this;
		const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ?
			400 : 1;
		const dx = event.deltaX * unit, dy = event.deltaY * unit;

		event.preventDefault();
		if (Math.abs(dx) > Math.abs(dy))
			app.pan(dx / app.view.width);
		else if (event.shiftKey)
			app.pan(dy / app.view.width);
		else
			app.zoom(Math.exp(Math.max(-600, Math.min(600, dy)) *
				WHEEL_ZOOM), this.at(event)[0]);
	}

	down(event)
	{
		const { app } = this;
		const [x, y] = this.at(event);

		if (event.button !== 0)
			return;
		app.plot.setPointerCapture(event.pointerId);
		this.drag = { x, y, begin: app.view.begin, end: app.view.end,
			      top: app.scroll.scrollTop, moved: false,
			      band: event.shiftKey,
			      span: event.ctrlKey || event.metaKey ?
			      app.span.snap(x, y) : null };
	}

	move(event)
	{
		const { app, drag } = this;
		const [x, y] = this.at(event);

		app.mouse_x = x;
		if (drag && (drag.moved || Math.hypot(x - drag.x, y - drag.y) >
			     CLICK_PIXELS)) {
			drag.moved = true;
			this.drag_to(x, y);
			return;
		}
		app.hover = app.item_at(x, y);
		app.plot.classList.toggle('on-item', app.hover !== null);
		this.show_tip(event);
		app.draw_over();
	}

	drag_to(x, y)
	{
		const { app, drag } = this;

		app.hover = null;
		this.tip.hidden = true;
		if (drag.span !== null) {
			app.span.set(drag.span, app.span.snap(x, y));
			app.draw_over();
			return;
		}
		if (drag.band) {
			app.band = [drag.x, x];
			app.draw_over();
			return;
		}
		app.plot.classList.add('moving');
		const ns = (drag.x - x) * (drag.end - drag.begin) /
			app.view.width;

		app.scroll.scrollTop = drag.top + drag.y - y;
		app.set_view(drag.begin + ns, drag.end + ns);
	}

	up(event)
	{
		const { app, drag } = this;
		const [x, y] = this.at(event);

		this.drag = null;
		app.plot.classList.remove('moving');
		if (!drag)
			return;
		if (!drag.moved)
			app.select(app.item_at(x, y));
		else if (drag.span !== null)
			app.span.show();
		else if (app.band)
			app.set_view(app.time(Math.min(...app.band)),
				     app.time(Math.max(...app.band)));
		app.band = null;
		app.request();
	}

	leave()
	{
		const { app } = this;

		if (this.drag)
			return;
		app.hover = null;
		app.mouse_x = undefined;
		this.tip.hidden = true;
		app.draw_over();
	}

	double_click(event)
	{
		const { app } = this;
		const item = app.item_at(...this.at(event));

		if (item === null)
			app.show_whole();
		else
			app.zoom_to(item);
	}

	show_tip(event)
	{
		const { app, tip } = this;

		if (app.hover === null) {
			tip.hidden = true;
			this.tipped = null;
			return;
		}
		if (this.tipped !== app.hover || tip.hidden)
			tip.replaceChildren(...app.report.tip(app.hover));
		this.tipped = app.hover;
		tip.hidden = false;
		const { offsetWidth: width, offsetHeight: height } = tip;
		const right = event.clientX + 16, below = event.clientY + 18;

		tip.style.left = (right + width < innerWidth ? right :
			Math.max(4, event.clientX - width - 12)) + 'px';
		tip.style.top = (below + height < innerHeight ? below :
			Math.max(4, event.clientY - height - 12)) + 'px';
	}

	// A press in the overview moves the view there.
	watch_overview(canvas)
	{
		const { app } = this;
		const go = event => {
			const box = canvas.getBoundingClientRect();
			const whole = app.whole();
			const at = whole.begin + (event.clientX - box.left) /
				box.width * (whole.end - whole.begin);
			const size = app.view.end - app.view.begin;

			app.set_view(at - size / 2, at + size / 2);
		};

		canvas.addEventListener('pointerdown', event => {
			canvas.setPointerCapture(event.pointerId);
			go(event);
		});
		canvas.addEventListener('pointermove', event => {
			if (event.buttons & 1)
				go(event);
		});
	}
}

function focus_list(app)
{
	app.list.open(true);
	app.list.rows.focus();
}

// Folds the process of what is selected.
function fold_selected(app)
{
	const { selected, model, report } = app;

	if (selected !== null)
		app.lanes.fold(model.lanes[report.lane(selected)].lane.process);
}

// Keys of the plot, and what they do.
function plot_keys(app)
{
	const scroll = pixels => {
		app.scroll.scrollTop += pixels;
	};
	const selected = () => {
		if (app.selected !== null)
			app.zoom_to(app.selected);
		else if (app.span.is_there)
			app.span.zoom();
	};
	const page = () => app.view.height * 0.8;
	const keys = {
		'+': () => app.zoom(0.7), '=': () => app.zoom(0.7),
		w: () => app.zoom(0.7), '-': () => app.zoom(1 / 0.7),
		s: () => app.zoom(1 / 0.7), _: () => app.zoom(1 / 0.7),
		ArrowLeft: shift => app.pan(shift ? -0.8 : -0.15),
		ArrowRight: shift => app.pan(shift ? 0.8 : 0.15),
		a: () => app.pan(-0.15), d: () => app.pan(0.15),
		A: () => app.pan(-0.8), D: () => app.pan(0.8),
		ArrowUp: () => scroll(-40), ArrowDown: () => scroll(40),
		PageUp: () => scroll(-page()), PageDown: () => scroll(page()),
		Home: () => app.show_whole(), 0: () => app.show_whole(),
		'.': () => app.step(1), ',': () => app.step(-1),
		']': () => app.step_lane(1), '[': () => app.step_lane(-1),
		f: selected, Enter: selected,
		n: () => app.step_hit(1), N: () => app.step_hit(-1),
		r: () => app.aside.focus(), e: () => app.list.toggle(),
		E: () => focus_list(app),
		m: () => app.span.take(), M: () => app.span.extend(),
		l: () => by_id('lanes-filter').select(),
		c: () => fold_selected(app), C: () => app.lanes.fold_all(),
		p: () => {
			if (app.selected !== null)
				app.lanes.pin(app.report.lane(app.selected));
		},
	};

	return keys;
}

// Takes back the selection and the search; if there is none, the span.
function forget_one(app)
{
	if (app.selected === null && !by_id('query').value)
		app.span.clear();
	app.select(null);
	app.find('');
}

// Keys that work anywhere on the page, but in the search box.
function page_key(app, event)
{
	if (event.key === '/') {
		by_id('query').focus();
		by_id('query').select();
	} else if (event.key === '?') {
		by_id('help').showModal();
	} else if (event.key === 'Escape') {
		if (document.activeElement === app.plot)
			forget_one(app);
		app.plot.focus();
	} else {
		return false;
	}
	return true;
}

function watch_keys(app)
{
	const keys = plot_keys(app);

	document.addEventListener('keydown', event => {
		const { target } = event;

		if (event.ctrlKey || event.altKey || event.metaKey ||
		    by_id('help').open)
			return;
		if (target === by_id('query')) {
			if (event.key === 'Escape') {
				app.find('');
				app.plot.focus();
			}
			return;
		}
		if (target === by_id('lanes-filter')) {
			if (event.key === 'Escape')
				app.lanes.set_filter('');
			if (event.key === 'Escape' || event.key === 'Enter')
				app.plot.focus();
			return;
		}
		const free = target === app.plot || target === document.body;
		const act = free && keys[event.key];

		if (act)
			act(event.shiftKey);
		if (act || page_key(app, event))
			event.preventDefault();
	});
}

function watch_search(app)
{
	const query = by_id('query');

	query.addEventListener('input', () => app.search(query.value.trim()));
	query.addEventListener('keydown', event => {
		if (event.key === 'Enter' && event.shiftKey) {
			event.preventDefault();
			app.step_hit(-1);
		}
	});
	by_id('find').addEventListener('submit', event => {
		event.preventDefault();
		app.step_hit(1);
	});
	by_id('next').addEventListener('click', () => app.step_hit(1));
	by_id('previous').addEventListener('click', () => app.step_hit(-1));
}

function watch_buttons(app)
{
	const dark = matchMedia('(prefers-color-scheme: dark)');
	const { dataset } = document.documentElement;
	const redraw = scheme => {
		dataset.scheme = scheme;
		app.colors.read();
		if (app.frames)
			app.report.show(app.selected);
		app.request();
	};
	const follow = () => redraw(dark.matches ? 'dark' : 'light');
	let before;

	// on paper, colours are light
	addEventListener('beforeprint', () => {
		before = dataset.scheme;
		redraw('light');
		if (app.frames)
			app.paint();
	});
	addEventListener('afterprint', () => redraw(before));
	dark.addEventListener('change', follow);
	by_id('scheme').addEventListener('click', () =>
		redraw(dataset.scheme === 'dark' ? 'light' : 'dark'));
	by_id('zoom-in').addEventListener('click', () => app.zoom(0.5));
	by_id('zoom-out').addEventListener('click', () => app.zoom(2));
	by_id('whole').addEventListener('click', () => app.show_whole());
	by_id('help-button').addEventListener('click', () =>
		by_id('help').showModal());
	follow();
}

function notice(...children)
{
	by_id('notices').append(element('p', {}, ...children));
}

function tell_density(head)
{
	const each = count_text(head.each);
	const detailed = head.chunks.reduce((sum, chunk) => sum + chunk.n, 0);

	notice(counted(head.events, 'event') + ', more than ' + each +
	       ': this shows how dense they are, and the ' +
	       counted(head.longest.length, 'longest slice') + '. Zoom in: ' +
	       'where no more than ' + each + ' are in view, you see each of ' +
	       'them.');
	if (detailed < head.events)
		notice('Events from ' + offset_text(head.chunks[
			head.chunks.length - 1].to) + ' on are here as density ' +
			'only. For a page of a part: ', element('code', {},
			'taffrail timeline --begin TIME --end TIME DIR'));
}

function tell_notices(head)
{
	const lost = head.losses.reduce((sum, loss) => sum + loss.events, 0);

	if (head.lane_density)
		tell_density(head);
	if (head.span > Number.MAX_SAFE_INTEGER)
		notice('This is longer than 104 days: times are rounded to ' +
		       'some ' + 2 ** (Math.ceil(Math.log2(head.span)) - 52) +
		       ' ns.');
	if (lost)
		notice(counted(lost, 'event') + ' lost, because buffers were ' +
		       'full: red below the axis shows when. Slices there may ' +
		       'be wrong.');
	for (const { where, fact } of head.problems)
		notice('Not read: ' + where + ': ' + fact);
	for (const note of head.notes)
		notice(note + '.');
	if (head.lanes.some(lane => lane.is_cpu))
		notice('Lanes are CPUs where events have no thread. Their ' +
		       'pairs are slices only with --pair-by cpu. To have ' +
		       'threads, with names: ', element('code', {},
		       'taffrail record --context vtid,procname'));
}

async function start()
{
	const head = read_head(await unpack(document.querySelector(
		'script.head')));
	const blocks = [...document.querySelectorAll('script.chunk')];
	const app = new App(head, blocks);
	const title = head.paths.join(', ');

	by_id('title').textContent = by_id('title').title = title;
	document.title = title + ' – Taffrail timeline';
	by_id('summary').textContent = app.summary();
	tell_notices(head);
	watch_buttons(app);
	const bytes = head.lane_density ? [] :
		await Promise.all(blocks.map(block => unpack(block)));

	app.set_model(new Model(head, bytes, 0));
	app.list.at_first = app.model.n > 0 && app.lanes.leaves(app.room);
	app.list.open(app.list.at_first);
	new Mouse(app);
	watch_keys(app);
	watch_search(app);
	watch_lanes(app);
	watch_copy(app);
	if (location.hash.length > 1)
		app.link.restore();
	app.scroll.addEventListener('scroll', () => app.request());
	new ResizeObserver(() => app.request()).observe(app.scroll);
	app.plot.focus();
	// for the console, and for tests
	window.timeline = app;
	document.documentElement.dataset.ready = 'yes';
}

start().catch(error => {
	notice('This page cannot be shown: ' + error.message);
	throw error;
});
