//! Permutations of points 0..n, as vectors of images.

/// The permutation that moves nothing.
pub fn identity(points: usize) -> Vec<u32> {
    (0..points as u32).collect()
}

/// First `first`, then `second`.
pub fn then(first: &[u32], second: &[u32]) -> Vec<u32> {
    first.iter().map(|point| second[*point as usize]).collect()
}

/// The inverse.
pub fn inverse(permutation: &[u32]) -> Vec<u32> {
    let mut back = vec![0; permutation.len()];
    for (point, image) in permutation.iter().enumerate() {
        back[*image as usize] = point as u32;
    }
    back
}

/// Whether nothing is moved.
pub fn is_identity(permutation: &[u32]) -> bool {
    permutation.iter().enumerate().all(|(point, image)| point as u32 == *image)
}

/// Whether each point is the image of exactly one point.
pub fn is_permutation(images: &[u32]) -> bool {
    let mut seen = vec![false; images.len()];
    images.iter().all(|image| {
        seen.get_mut(*image as usize).is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

/// The cycles of more than one point, each from its least point on, in the order of those.
pub fn cycles(permutation: &[u32]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; permutation.len()];
    let mut cycles = Vec::new();
    for start in 0..permutation.len() as u32 {
        let mut cycle = Vec::new();
        let mut point = start;
        while !std::mem::replace(&mut seen[point as usize], true) {
            cycle.push(point);
            point = permutation[point as usize];
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

/// The orbits of more than one point under the group that some permutations generate, each sorted, in the
/// order of their least points.
pub fn orbits(points: usize, generators: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = identity(points);
    for generator in generators {
        for (point, image) in generator.iter().enumerate() {
            let (a, b) = (root(&mut parent, point as u32), root(&mut parent, *image));
            // The least point stays the root.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); points];
    for point in 0..points as u32 {
        let root = root(&mut parent, point);
        members[root as usize].push(point);
    }
    members.retain(|orbit| orbit.len() > 1);
    members
}

fn root(parent: &mut [u32], mut point: u32) -> u32 {
    while parent[point as usize] != point {
        parent[point as usize] = parent[parent[point as usize] as usize];
        point = parent[point as usize];
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses_undo_and_cycles_and_orbits_are_those_of_the_textbook() {
        let p = vec![1, 2, 0, 4, 3, 5];
        assert!(is_permutation(&p) && !is_permutation(&[0, 0]) && !is_permutation(&[2, 0]));
        assert!(is_identity(&then(&p, &inverse(&p))));
        assert_eq!(cycles(&p), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(orbits(6, &[p, vec![0, 1, 2, 5, 4, 3]]), [vec![0, 1, 2], vec![3, 4, 5]]);
    }
}
