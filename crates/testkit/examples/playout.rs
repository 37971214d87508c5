//! A random playout of a game of the library: `cargo run -p testkit --example playout -- chess`.

use game::{
    Game, Machine,
    playout::{Random, random_joint_move},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "tictactoe".to_owned());
    let game = Game::from_text(library::find(&name).ok_or("no such game")?.rules)?;
    let mut machine = game.interpreter();
    let mut random = Random::new(42);
    let mut state = machine.initial()?;
    while !machine.is_terminal(&state)? {
        let Some(joint) = random_joint_move(&mut machine, &state, &mut random)? else { break };
        state = machine.next(&state, &joint)?;
    }
    for role in game.role_ids() {
        println!("{}: {:?}", game.role_name(role), machine.goal(&state, role)?);
    }
    Ok(())
}
