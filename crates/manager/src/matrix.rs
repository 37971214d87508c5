//! The little linear algebra that ratings and comparisons need: matrices with a row for each player or option.

/// The inverse of a positive definite matrix, by Gauss and Jordan; none if it is singular or nearly so.
pub(crate) fn invert(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let largest = (0..count).map(|i| matrix[i][i]).fold(0.0, f64::max);
    let mut inverse: Vec<Vec<f64>> =
        (0..count).map(|i| (0..count).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for i in 0..count {
        let pivot = matrix[i][i];
        if pivot.is_nan() || pivot <= largest * 1e-12 {
            return None;
        }
        for j in 0..count {
            matrix[i][j] /= pivot;
            inverse[i][j] /= pivot;
        }
        for row in (0..count).filter(|row| *row != i) {
            let factor = matrix[row][i];
            for j in 0..count {
                matrix[row][j] -= factor * matrix[i][j];
                inverse[row][j] -= factor * inverse[i][j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let matrix = vec![vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -1.0], vec![0.5, -1.0, 2.0]];
        let inverse = invert(matrix.clone()).expect("positive definite");
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..3 {
                let product: f64 = row.iter().zip(&inverse).map(|(a, b)| a * b[j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12, "{i} {j} {product}");
            }
        }
    }

    #[test]
    fn rows_that_say_the_same_have_no_inverse() {
        assert_eq!(invert(vec![vec![1.0, 2.0], vec![2.0, 4.0]]), None);
        assert_eq!(invert(vec![vec![0.0]]), None);
    }
}
