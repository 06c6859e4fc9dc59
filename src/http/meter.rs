//! How many requests a minute allows.
//!
//! Minutes are those of the clock, so that a refusal can say exactly when the next one begins. Only what was let in
//! counts. Kept in the object's memory: an object that was evicted had been idle.

use crate::time::{MINUTE, Millis};

#[derive(Debug, Default)]
pub struct Meter {
    minute: i64,
    taken: u32,
}

impl Meter {
    /// Counts one request; the error is when the next one is let in.
    pub fn take(&mut self, most: u32, now: Millis) -> Result<(), Millis> {
        let taken = self.taken(now);
        if taken >= most {
            return Err(Millis((minute_of(now) + 1) * MINUTE));
        }
        *self = Self { minute: minute_of(now), taken: taken + 1 };
        Ok(())
    }

    /// Requests that were let in during this minute.
    pub fn taken(&self, now: Millis) -> u32 {
        if self.minute == minute_of(now) { self.taken } else { 0 }
    }
}

fn minute_of(now: Millis) -> i64 {
    now.0.div_euclid(MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_minute_refuses_until_the_next_and_refusals_do_not_count() {
        let mut meter = Meter::default();
        let now = Millis(10 * MINUTE + 5);
        assert_eq!((meter.take(2, now), meter.take(2, now)), (Ok(()), Ok(())));
        for _ in 0..3 {
            assert_eq!(meter.take(2, now), Err(Millis(11 * MINUTE)));
        }
        assert_eq!(meter.taken(now), 2);
        assert_eq!(meter.take(2, Millis(11 * MINUTE)), Ok(()));
        assert_eq!(meter.taken(Millis(11 * MINUTE)), 1);
        assert_eq!(meter.take(2, now), Ok(()), "a clock that goes back locks nobody out");
    }
}
