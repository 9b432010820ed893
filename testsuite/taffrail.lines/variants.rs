// SPDX-License-Identifier: LGPL-2.1-or-later
// Enumerations with data, with a number that tells the variant and with an
// impossible value of the data that does.
use std::num::NonZeroU32;

enum Shape {
    Circle(f64),
    Square { side: i32, name: &'static str },
    Empty,
}

enum Niche {
    Text(String),
    Second,
    Third,
}

struct All<'a> {
    number: Option<i32>,
    small: Option<u8>,
    refer: Option<&'a i32>,
    never: Option<NonZeroU32>,
    name: Option<String>,
    flag: Option<bool>,
    result: Result<i32, String>,
    shape: Shape,
    niche: Niche,
}

#[inline(never)]
fn look(a: &All, i: usize, plain: Option<i64>) -> usize {
    let i = i + a.small.is_some() as usize;
    println!("{} {} {}", i, a.number.is_some(), plain.is_some());
    match &a.shape {
        Shape::Circle(x) => *x as usize,
        Shape::Square { side, name } => *side as usize + name.len(),
        Shape::Empty => match &a.niche {
            Niche::Text(t) => t.len(),
            Niche::Second => 2,
            Niche::Third => 3,
        },
    }
}

fn main() {
    let x = 77;
    let mut all = All {
        number: Some(-5),
        small: None,
        refer: Some(&x),
        never: NonZeroU32::new(9),
        name: Some("abc".to_string()),
        flag: Some(false),
        result: Ok(3),
        shape: Shape::Circle(1.5),
        niche: Niche::Text("text".to_string()),
    };
    let mut n = look(&all, 1, None);
    all.number = None;
    all.small = Some(200);
    all.refer = None;
    all.never = None;
    all.name = None;
    all.flag = None;
    all.result = Err("bad".to_string());
    all.shape = Shape::Square { side: 4, name: "sq" };
    all.niche = Niche::Second;
    n += look(&all, 2, Some(-4));
    all.shape = Shape::Empty;
    all.niche = Niche::Third;
    n += look(&all, 3, Some(1 << 40));
    println!("{}", n);
}
