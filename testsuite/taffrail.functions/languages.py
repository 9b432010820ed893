#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints a program in Fortran, Ada or Rust.

    languages.py fortran|ada|rust

Its functions branch as compilers of these languages make them: cases, loops,
recursion, nested and generic functions, exceptions and panics. Each program prints
lines that depend on every way through it, and ends.
"""
import sys

FORTRAN = """! fortran
module work
  implicit none
contains
  recursive integer(8) function deep(n) result(r)
    integer(8), intent(in) :: n
    if (n < 2) then
      r = 1
    else
      r = mod(deep(n - 1) * 7 + deep(n / 2), 1000003_8)
    end if
  end function
  integer(8) function cases(n)
    integer(8), intent(in) :: n
    select case (mod(n, 9_8))
    case (0); cases = n * 3
    case (1); cases = ieor(n, 77_8)
    case (2:3); cases = n - 5
    case (4); cases = deep(mod(n, 20_8))
    case (5); cases = ishft(n, -2)
    case (6); cases = n * n
    case default; cases = -n
    end select
  end function
  integer(8) function jumps(n)
    integer(8), intent(in) :: n
    integer :: way
    way = int(mod(n, 4_8)) + 1
    go to (10, 20, 30), way
    jumps = 1
    return
10  jumps = n + 11
    return
20  jumps = n * 13
    go to 40
30  jumps = cases(n)
40  jumps = jumps + 1
  end function
  subroutine fill(a)
    real(8) :: a(:, :)
    integer :: i, k
    do k = 1, size(a, 2)
      do i = 1, size(a, 1)
        a(i, k) = sin(real(i * k, 8)) + merge(1d0, 2d0, mod(i, 3) == 0)
      end do
    end do
  end subroutine
  function text_of(n) result(t)
    integer(8), intent(in) :: n
    character(len=:), allocatable :: t
    character(len=24) :: line
    write (line, '(i0)') n
    t = trim(adjustl(line)) // repeat('x', int(mod(n, 5_8)))
  end function
end module
program languages
  use work
  implicit none
  integer(8) :: i, s
  real(8) :: a(7, 9)
  s = 0
  call fill(a)
  do i = 1, 400
    s = mod(s * 31 + cases(i) + jumps(i) + len(text_of(i)), 1000000007_8)
    if (mod(i, 40_8) == 0) print '(i0, 1x, i0)', i, s
  end do
  print '(f0.9, 1x, f0.9)', sum(matmul(a, transpose(a))), maxval(a)
end program
"""

ADA = """-- ada
with Ada.Text_IO; use Ada.Text_IO;
with Ada.Strings.Unbounded; use Ada.Strings.Unbounded;
procedure Languages is
   type Number is mod 2 ** 64;
   Wrong : exception;
   package Shapes is
      type Shape is abstract tagged record
         Size : Number;
      end record;
      function Area (S : Shape) return Number is abstract;
      type Square is new Shape with null record;
      overriding function Area (S : Square) return Number is (S.Size * S.Size);
      type Ring is new Shape with record
         Hole : Number;
      end record;
      overriding function Area (S : Ring) return Number is
        (3 * (S.Size * S.Size - S.Hole * S.Hole));
   end Shapes;
   use Shapes;
   generic
      type Element is mod <>;
   function Mixed (A, B : Element) return Element;
   function Mixed (A, B : Element) return Element is
   begin
      return (A xor B) * 5 + A / 3;
   end Mixed;
   function Mix is new Mixed (Number);
   function Deep (N : Number) return Number is
      Kept : Number := N;
      function Inner (K : Number) return Number is
      begin
         Kept := Kept * 3 + K;
         return (if K < 3 then Kept else Inner (K / 2) + Inner (K - K / 2 - 1));
      end Inner;
   begin
      return Inner (N mod 40);
   end Deep;
   function Cases (N : Number) return Number is
   begin
      case N mod 12 is
         when 0 => return N * 3;
         when 1 | 5 => return N xor 77;
         when 2 .. 4 => return Mix (N, N / 7);
         when 7 => raise Wrong with Number'Image (N);
         when 8 => return Deep (N);
         when 9 => return Number'Value (Number'Image (N)) + 1;
         when others => return not N;
      end case;
   end Cases;
   function Careful (N : Number) return Number is
      Ring_One : constant Ring := (Size => N, Hole => N / 2);
      Square_One : constant Square := (Size => N + 1);
      function Any (S : Shape'Class) return Number is (Area (S));
   begin
      return Cases (N) + Any (Ring_One) + Any (Square_One);
   exception
      when Wrong => return 1;
   end Careful;
   Text : Unbounded_String;
   Sum : Number := 0;
   Small : array (1 .. 8) of Integer := (others => 1);
begin
   for I in 1 .. 400 loop
      Sum := Sum * 31 + Careful (Number (I));
      begin
         Small (I mod 9) := Small (I mod 8 + 1) + I;
      exception
         when Constraint_Error => Sum := Sum + 7;
      end;
      Append (Text, Number'Image (Sum mod 97));
      if I mod 40 = 0 then
         Put_Line (Integer'Image (I) & Number'Image (Sum));
      end if;
   end loop;
   Put_Line (Integer'Image (Length (Text)) & Integer'Image (Small (5)));
end Languages;
"""

RUST = """// rust
use std::collections::{BTreeMap, HashMap};
use std::panic;
#[inline(never)]
fn deep(n: u64) -> u64 { if n < 2 { 1 } else { deep(n - 1).wrapping_mul(7) ^ deep(n / 2) } }
#[derive(Clone, Debug)]
enum Tree { Leaf(u64), Pair(Box<Tree>, Box<Tree>), Text(String) }
#[inline(never)]
fn grow(n: u64) -> Tree {
    match n % 5 {
        0 => Tree::Leaf(n),
        1 => Tree::Text(format!("{:x}", n)),
        _ if n < 9 => Tree::Leaf(n * 3),
        _ => Tree::Pair(Box::new(grow(n / 2)), Box::new(grow(n - n / 2 - 1))),
    }
}
#[inline(never)]
fn weigh(t: &Tree) -> u64 {
    match t {
        Tree::Leaf(n) => *n,
        Tree::Text(s) => s.bytes().map(u64::from).sum(),
        Tree::Pair(a, b) => weigh(a).wrapping_mul(31).wrapping_add(weigh(b)),
    }
}
trait Step { fn step(&self, n: u64) -> Result<u64, String>; }
struct Add(u64);
struct Fail(u64);
impl Step for Add {
    #[inline(never)]
    fn step(&self, n: u64) -> Result<u64, String> { Ok(n.wrapping_add(self.0)) }
}
impl Step for Fail {
    #[inline(never)]
    fn step(&self, n: u64) -> Result<u64, String> {
        if n % self.0 == 0 { Err(format!("{} at {}", self.0, n)) } else { Ok(n ^ self.0) }
    }
}
#[inline(never)]
fn all(steps: &[Box<dyn Step>], n: u64) -> Result<u64, String> {
    steps.iter().try_fold(n, |n, s| s.step(n))
}
#[inline(never)]
fn risky(n: usize) -> u64 { let a = [3u64, 5, 7, 11]; a[n % 6] + (100 / (n as u64 % 7)) }
fn main() {
    panic::set_hook(Box::new(|_| ()));
    let steps: Vec<Box<dyn Step>> =
        vec![Box::new(Add(5)), Box::new(Fail(13)), Box::new(Add(9)), Box::new(Fail(17))];
    let mut sum = 0u64;
    let mut seen = BTreeMap::new();
    let mut words = HashMap::new();
    for i in 0..400u64 {
        sum = sum.wrapping_mul(31).wrapping_add(deep(i % 18)).wrapping_add(weigh(&grow(i)));
        sum ^= match all(&steps, i) { Ok(n) => n, Err(s) => s.len() as u64 };
        sum = sum.wrapping_add(panic::catch_unwind(|| risky(i as usize)).unwrap_or(1));
        *seen.entry(sum % 61).or_insert(0u64) += i;
        words.insert(format!("{}", i % 37), i);
        if i % 40 == 0 { println!("{} {}", i, sum); }
    }
    let mut list: Vec<_> = words.into_iter().collect();
    list.sort_by(|a, b| b.cmp(a));
    println!("{:?} {:?}", seen, &list[..9]);
    let sum: u64 = (0..4u64).map(|t| std::thread::spawn(move || deep(14 + t)))
        .map(|t| t.join().unwrap()).fold(0, |a, b| a ^ b);
    println!("{}", sum);
}
"""

print({"fortran": FORTRAN, "ada": ADA, "rust": RUST}[sys.argv[1]], end="")
