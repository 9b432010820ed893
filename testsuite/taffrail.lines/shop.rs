// SPDX-License-Identifier: LGPL-2.1-or-later
// Sells pears, and says what a rule at the line of the first println!() must
// record.
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
enum Kind {
    Fruit = 1,
    Tool = 5,
}

struct Item {
    name: String,
    label: &'static str,
    price: f64,
    stock: i32,
    code: [u16; 3],
    sizes: Vec<i16>,
    kind: Kind,
    pair: (u8, i64),
}

static mut TOTAL: i64 = -5;

impl Item {
    #[inline(never)]
    fn sell(&mut self, n: usize, who: &str, parts: &[i32]) -> i32 {
        let left = self.stock - n as i32;
        let big = n > 2;
        println!("{} {} [{}] [{}] [{}] {} {} {:?} {:?} {:?}", n, left, who, self.name, self.label, self.price, big, parts, self.sizes, self.code);
        self.stock = left;
        unsafe { TOTAL -= 1 };
        left + self.pair.0 as i32
    }
}

fn main() {
    let mut item = Item {
        name: String::new(),
        label: "fresh",
        price: 1.5,
        stock: 100,
        code: [1, 2, 3],
        sizes: vec![],
        kind: Kind::Fruit,
        pair: (7, -8),
    };
    let parts = [10, -20, 30, -40];
    for i in 0..4 {
        item.sell(i, &"patrick"[i..4], &parts[i..]);
        item.name.push('x');
        item.sizes.push(-(i as i16));
        if i == 2 {
            item.kind = Kind::Tool;
        }
    }
}
