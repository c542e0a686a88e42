//! A bot that takes half of the last nonempty pile. `lastnim tournament run` starts it; to start it by hand, set
//! `LASTNIM_TOKEN` (and optionally `LASTNIM_SERVER` and `LASTNIM_TOURNAMENT`).

use lastnim_client::{Bot, Error, MatchView, Options, run};

struct Half;

impl Bot for Half {
    fn play(&mut self, game: &MatchView) -> u64 {
        game.position().counters().div_ceil(2)
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    println!("{}", run(Half, Options::from_env()?).await?);
    Ok(())
}
