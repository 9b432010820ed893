// SPDX-License-Identifier: LGPL-2.1-or-later
// The axis of time, and the overview of the whole trace above it.

const OVERVIEW_HEIGHT = 42;
const AXIS_HEIGHT = 24;
const MINUTE_NS = 60e9;

class Scale {
	constructor(app)
	{
		this.app = app;
		this.head = app.head;
		this.overview = document.getElementById('overview');
		this.axis = document.getElementById('axis');
	}

	context(canvas, width, height)
	{
		const ratio = fit(canvas, width, height);
		const c = canvas.getContext('2d', { alpha: false });

		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		c.fillStyle = this.app.colors.panel;
		c.fillRect(0, 0, width, height);
		c.font = '11px system-ui, "Noto Sans", "DejaVu Sans", ' +
			'sans-serif';
		return c;
	}

	draw(view)
	{
		this.draw_overview(view);
		this.draw_axis(view);
	}

	// Calls take(x, width) for each loss of events that the view shows.
	losses(view, take)
	{
		const scale = view.width / (view.end - view.begin);
		const at = ns => (Number(ns - this.head.first) - view.begin) *
			scale;

		for (const loss of this.head.losses) {
			const x = loss.from < this.head.first ? at(this.head
				.first) : at(loss.from);
			const right = at(loss.to);

			if (right >= 0 && x <= view.width)
				take(x, Math.max(2, right - x));
		}
	}

	draw_overview(view)
	{
		const { head, app } = this;
		const { colors } = app;
		const whole = app.whole();
		const c = this.context(this.overview, view.width,
				       OVERVIEW_HEIGHT);

		whole.width = view.width;
		draw_bars(c, head.density, head.bin_ns, whole, 4,
			  OVERVIEW_HEIGHT - 8, colors.density);
		const scale = view.width / (whole.end - whole.begin);
		const left = (view.begin - whole.begin) * scale;
		const right = Math.max(left + 3, (view.end - whole.begin) *
				       scale);

		this.draw_hits(c, whole, scale);
		if (app.span.is_there) {
			const from = (app.span.begin - whole.begin) * scale;

			c.fillStyle = colors.accent;
			c.fillRect(from, OVERVIEW_HEIGHT - 7, Math.max(2,
				(app.span.end - whole.begin) * scale - from),
				   3);
		}
		c.fillStyle = colors.lost;
		this.losses(whole, (x, width) =>
			c.fillRect(x, OVERVIEW_HEIGHT - 4, width, 4));
		c.fillStyle = colors.back;
		c.globalAlpha = 0.66;
		c.fillRect(0, 0, left, OVERVIEW_HEIGHT);
		c.fillRect(right, 0, view.width - right, OVERVIEW_HEIGHT);
		c.globalAlpha = 1;
		c.strokeStyle = colors.accent;
		c.lineWidth = 1.5;
		c.strokeRect(left + 0.75, 0.75, right - left - 1.5,
			     OVERVIEW_HEIGHT - 1.5);
	}

	draw_hits(c, whole, scale)
	{
		const { marks, report } = this.app;
		let last = -1;

		if (!marks)
			return;
		c.fillStyle = this.app.colors.accent;
		for (const item of marks.items) {
			const x = Math.floor((report.from(item) - whole.begin) *
					     scale);

			if (x !== last)
				c.fillRect(x, 0, 1, 5);
			last = x;
		}
	}

	draw_axis(view)
	{
		const { colors } = this.app;
		const c = this.context(this.axis, view.width, AXIS_HEIGHT);
		const { step, list } = ticks(view);
		const [unit, name] = axis_unit(Math.max(Math.abs(view.begin),
							Math.abs(view.end)));
		const digits = Math.max(0, Math.min(9, Math.ceil(
			-Math.log10(step / unit) - 1e-9)));
		const scale = view.width / (view.end - view.begin);

		c.textBaseline = 'middle';
		for (const at of list) {
			const x = Math.round((at - view.begin) * scale);

			c.fillStyle = colors.line;
			c.fillRect(x, AXIS_HEIGHT - 6, 1, 6);
			c.fillStyle = colors.soft;
			const text = step < MINUTE_NS ?
				(at / unit).toFixed(digits) + ' ' + name :
				at ? duration_text(at) : '0 s';

			// a part of it would be another number
			if (x + 4 + c.measureText(text).width <= view.width)
				c.fillText(text, x + 4, AXIS_HEIGHT / 2);
		}
		c.fillStyle = colors.lost;
		this.losses(view, (x, width) =>
			c.fillRect(x, AXIS_HEIGHT - 3, width, 3));
	}
}
