% title
role(a). role('B'). /* block
 of two lines */
legal(P, go(X, _)) :- % neck
    % between
    ( true(at(X)), q(X) % here
    ; not (r ; \+ s, t()), % there
      distinct(X, '1/2')
      % last
    ), and(a), or(), (b, c)
    % end
    .
open. p :- . 'not'(x) :- 'not', ++(_1, _, _).
