//! Every fault of each mirror with every change of memory, with the object out of memory in between and not; each cell is
//! run and counted. `tests/e2e/faults.test.mjs` does the same on the runtime.

use std::collections::BTreeMap;

use crate::support::mirror_world::{DIMENSIONS, World};
use kioku::id::FactId;
use kioku::memory::model::Status;
use kioku::store::sql::Arg;
use kioku::time::{HOUR, SECOND};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mirror {
    D1,
    Vectorize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    DownFor80Seconds,
    Slow,
    ErrorBefore,
    ErrorAfter,
    LostAnswer,
    /// What is written is seen later: by D1's reads, by Vectorize's queries.
    LateVisibility,
    Reordered,
    Full,
    /// D1 has no dimensions: there a statement is refused instead, which is no less for ever.
    WrongDimension,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Add,
    Edit,
    Supersede,
    Forget,
    Undo,
    ForgetEverything,
}

const MIRRORS: [Mirror; 2] = [Mirror::D1, Mirror::Vectorize];
const FAULTS: [Fault; 9] = [
    Fault::DownFor80Seconds,
    Fault::Slow,
    Fault::ErrorBefore,
    Fault::ErrorAfter,
    Fault::LostAnswer,
    Fault::LateVisibility,
    Fault::Reordered,
    Fault::Full,
    Fault::WrongDimension,
];
const CHANGES: [Change; 6] =
    [Change::Add, Change::Edit, Change::Supersede, Change::Forget, Change::Undo, Change::ForgetEverything];

fn break_it(world: &World, mirror: Mirror, fault: Fault) {
    use crate::support::d1::Fault as D;
    use crate::support::vectorize::Fault as V;
    match mirror {
        Mirror::D1 => world.d1.set_fault(Some(match fault {
            Fault::DownFor80Seconds => D::Down,
            Fault::Slow => D::Slow,
            Fault::ErrorBefore => D::ErrorBefore,
            Fault::ErrorAfter => D::ErrorAfter,
            Fault::LostAnswer => D::LostAnswer,
            Fault::LateVisibility => D::Stale,
            Fault::Reordered => D::Late,
            Fault::Full => D::Full,
            Fault::WrongDimension => D::Refuse,
        })),
        Mirror::Vectorize => world.vectorize.set_fault(match fault {
            Fault::DownFor80Seconds => Some(V::Down),
            Fault::Slow => Some(V::Slow),
            Fault::ErrorBefore => Some(V::ErrorBefore),
            Fault::ErrorAfter => Some(V::ErrorAfter),
            Fault::LostAnswer => Some(V::LostAnswer),
            Fault::LateVisibility => {
                world.vectorize.lags.set(true);
                None
            }
            Fault::Reordered => Some(V::Late),
            Fault::Full => Some(V::Full),
            Fault::WrongDimension => {
                world.vectorize.remake(DIMENSIONS - 3);
                None
            }
        }),
    }
}

/// What there was before, in the order in which the facts were said.
struct Known {
    edited: FactId,
    superseded: FactId,
    forgotten: FactId,
}

fn change(world: &World, known: &Known, change: Change) {
    match change {
        Change::Add => drop(world.add("新しい事実 a new fact")),
        Change::Edit => world.edit(&known.edited, "編集した edited"),
        Change::Supersede => {
            let new = world.add("京都に引っ越した moved to Kyoto");
            world.change(&known.superseded, |fact| {
                fact.status = Status::Past;
                fact.superseded_by = Some(new.clone());
            });
        }
        Change::Forget => world.forget(&known.forgotten),
        Change::Undo => world.undo_forget(0),
        Change::ForgetEverything => world.forget_everything(),
    }
}

/// What others have: rows and vectors, byte for byte.
fn of_bystander(bystander: &World) -> String {
    let owner = bystander.owner.as_str();
    let rows = bystander.d1.query("SELECT * FROM facts WHERE owner = ?1 ORDER BY id", &[Arg::Text(owner)]);
    let mut vectors = bystander.vectorize.visible();
    vectors.retain(|vector| vector.metadata.uid == owner);
    format!("{rows:?} {vectors:?}")
}

fn run(mirror: Mirror, fault: Fault, changed: Change, is_evicted: bool) {
    let world = World::new();
    let bystander = World::sharing(&world, "bystander");
    bystander.add("蜂を飼っている keeps bees");
    bystander.settle();
    let known = Known {
        edited: world.add("犬を飼っている has a dog"),
        superseded: world.add("大阪に住んでいる lives in Osaka"),
        forgotten: world.add("鍵は石の下 the key lies under the stone"),
    };
    let before = world.add("前に取り消した undone before");
    world.settle();
    world.forget(&before);
    world.settle();
    let untouched = of_bystander(&bystander);

    break_it(&world, mirror, fault);
    change(&world, &known, changed);
    let began = world.now();
    if is_evicted || fault == Fault::LostAnswer {
        // A pass whose answer never comes is given up at its deadline.
        for awaits in [2, 9] {
            world.drain_until_evicted(awaits);
            world.assert_nothing_forgotten_is_found();
        }
    } else {
        world.drain();
        world.assert_nothing_forgotten_is_found();
        if fault == Fault::DownFor80Seconds {
            world.run_until(began.plus(80 * SECOND));
        }
        drop(world.try_reconcile());
        world.drain();
    }
    world.assert_nothing_forgotten_is_found();
    if fault == Fault::WrongDimension && mirror == Mirror::Vectorize {
        // The index is made anew with the right length, and is empty.
        world.vectorize.remake(DIMENSIONS);
        world.vectorize.set_fault(None);
        world.reconcile();
        bystander.reconcile();
        bystander.settle();
    }
    world.heal();
    world.settle();
    world.reconcile();
    world.settle();
    world.advance(2 * HOUR);
    world.settle();
    world.assert_converged();
    world.assert_nothing_forgotten_is_found();
    bystander.assert_converged();
    assert_eq!(of_bystander(&bystander), untouched, "somebody else's data");
}

#[test]
fn whatever_a_mirror_does_to_whatever_change_both_end_as_the_object_is() {
    let mut ran: BTreeMap<(Mirror, Fault, Change), u32> = BTreeMap::new();
    for mirror in MIRRORS {
        for fault in FAULTS {
            for changed in CHANGES {
                for is_evicted in [false, true] {
                    println!("{mirror:?} × {fault:?} × {changed:?}, evicted: {is_evicted}");
                    run(mirror, fault, changed, is_evicted);
                    *ran.entry((mirror, fault, changed)).or_default() += 1;
                }
            }
        }
    }
    for mirror in MIRRORS {
        for fault in FAULTS {
            let cells = CHANGES.map(|changed| ran.get(&(mirror, fault, changed)).copied().unwrap_or(0));
            println!("{:<28}{cells:?}", format!("{mirror:?} {fault:?}"));
            assert_eq!(cells, [2; 6], "each with the object out of memory in between and not");
        }
    }
    assert_eq!(ran.values().sum::<u32>(), 2 * 9 * 6 * 2);
}
