// What `geometry.js` and `glyph.js` must do; gives a list of what they do not.
Promise.all([import("/js/geometry.js"), import("/js/glyph.js")]).then(([{ Geometry, SIDE }, { Glyphs, groundKind, isFloor }]) => {
  const wrong = [];
  const check = (what, holds) => { if (!holds) wrong.push(what); };
  const line = (names) => ({ title: "b", columns: names, rows: [""], tiling: "square", torus: false, cells: names.map((_, column) => ({ column, row: 0, contents: [] })) });
  const place = (geometry, column) => geometry.centre(column, 0).map((at) => Math.round((at - 3) / SIDE * 2) / 2);

  const star = new Geometry(line(["a1", "b1", "b2", "c1", "c2", "c3"]), true);
  check("rows that begin with 1 lie in the middle", place(star, 0)[0] - place(star, 3)[0] === 1 && place(star, 1)[0] - place(star, 3)[0] === 0.5);
  check("the first letter is at the top", place(star, 0)[1] < place(star, 1)[1] && place(star, 1)[1] < place(star, 3)[1]);
  const chess = new Geometry(line(["a1", "a2", "b1", "b2", "c1", "c2"]), true);
  check("letters are columns, numbers rows from below", place(chess, 2)[0] - place(chess, 0)[0] === 1 && place(chess, 0)[1] - place(chess, 1)[1] === 1);
  check("a line of other names stays a line", new Geometry(line(["p1", "p2", "p3", "p4", "p5", "p6"]), true).spread === null);
  const part = { ...line(["a", "b", "c", "d"]), rows: ["4", "3", "2", "1"], cells: [{ column: 0, row: 2, contents: [] }, { column: 1, row: 3, contents: [] }] };
  check("columns and rows without cells take no room", new Geometry(part, false).width < 2.5 * SIDE && new Geometry(part, false).height < 2.5 * SIDE);

  const glyphs = (roles, ...names) => {
    const all = new Glyphs(roles);
    all.learn(names);
    return (name, owner = null) => all.of({ name, owner });
  };
  const tiles = glyphs(["you"], "t1", "t2", "t3", "b");
  check("numbered tiles show their numbers", tiles("t2").kind === "number" && tiles("t2").label === "2");
  const endgame = glyphs(["white", "black"], "wk", "wr", "bk");
  check("two kinds of chess pieces are enough", endgame("wr").kind === "chess" && endgame("wr").label === "rook" && endgame("wr").paint === "p-white");
  const men = glyphs(["white", "black"], "wm", "bm", "wk", "bk");
  check("kings of draughts are crowned discs", men("wk").kind === "disc" && men("wk").crowned);
  const lists = glyphs(["you"], "(cons b (cons a nil))", "(cons c nil)", "nil");
  check("a list shows what is in it", lists("(cons b (cons a nil))").label === "ba" && lists("(cons c nil)").label === "c");
  const walls = glyphs(["pacman"], "blockedEast", "pellet");
  check("a wall to one side is an edge", walls("blockedEast").kind === "edge" && walls("blockedEast").label === "east");
  check("names that differ look different", new Set(["t1", "t2", "t3"].map((name) => tiles(name).label)).size === 3);
  check("floors and targets are told apart", isFloor("floor") && groundKind("target") === "goal" && groundKind("wall") === "block" && groundKind("swamp") === null);
  return wrong;
});
