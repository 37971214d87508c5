// What `chooser.js` must do; gives a list of what it does not.
import("/js/chooser.js").then(({ Chooser }) => {
  const wrong = [];
  const check = (what, holds) => { if (!holds) wrong.push(what); };
  const cells = [0, 1, 2].flatMap((row) => [0, 1, 2].map((column) => ({ column, row, contents: [] })));
  const boards = [{ title: "b", columns: ["a", "b", "c"], rows: ["3", "2", "1"], tiling: "square", torus: false, cells }];
  const at = (column, row) => ({ board: 0, column, row });
  const move = (name, places, lines = []) => ({ move: name, label: name, cells: places, lines });
  const offer = (...moves) => {
    const chooser = new Chooser();
    chooser.offer(moves, boards);
    return chooser;
  };
  let one = offer(move("mark", [at(0, 0)]), move("noop", []));
  check("a move of one cell is played at once", one.point("0:0:0").kind === "play");
  check("other cells do nothing", one.point("0:2:2").kind === "nothing");

  one = offer(move("ab", [at(0, 0), at(1, 1)]), move("ac", [at(0, 0), at(2, 2)]), move("ba", [at(1, 1), at(2, 1)]));
  check("a piece is chosen first", one.point("0:0:0").kind === "select");
  check("its targets light up", [...one.targets()].sort().join() === "0:1:1,0:2:2");
  const played = one.point("0:2:2");
  check("the target plays", played.kind === "play" && played.moves[0].move === "ac");
  check("nothing stays chosen", one.keys.length === 0);
  check("the target may be pointed at first", one.point("0:2:2").kind === "select" && one.targets().has("0:0:0"));
  check("then the piece plays", one.point("0:0:0").moves[0].move === "ac");
  one.point("0:0:0");
  check("another piece takes the place", one.point("0:2:1").kind === "select");
  one.clear();
  one.point("0:0:0");
  check("pointing again lets go", one.point("0:0:0").kind === "nothing");

  one = offer(move("queen", [at(0, 0), at(0, 1)]), move("rook", [at(0, 0), at(0, 1)]));
  one.point("0:0:0");
  const asked = one.point("0:0:1");
  check("what is not clear is asked", asked.kind === "menu" && asked.moves.length === 2);

  one = offer(move("drop", [], [{ board: 0, column: 1 }]), move("drop2", [], [{ board: 0, column: 2 }]));
  check("any cell of a column will do", one.point("0:1:2").moves[0]?.move === "drop");

  one = offer(move("short", [at(0, 0)]), move("long", [at(0, 0), at(1, 0)]));
  check("a move that may go on is asked about", one.point("0:0:0").kind === "menu" && one.targets().has("0:1:0"));
  check("and can go on", one.point("0:1:0").moves[0].move === "long");
  return wrong;
});
