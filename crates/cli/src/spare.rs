//! How much memory there is for what takes much of it for a while.

use std::fs;
use std::path::Path;

/// No more than this is taken, however much there is.
const MOST: usize = 4 << 30;

/// One of so many parts of what is free is taken: there may be other players.
const SHARE: usize = 4;

/// The memory for making the rules of each of some matches ground: a share of what is free, or less if no more is wanted, but not
/// less than `least`.
pub fn for_rules(least: usize, matches: usize) -> usize {
    let free = free(&|path| fs::read_to_string(path).unwrap_or_default()).unwrap_or(0);
    (free / SHARE / matches.max(1)).min(MOST).max(least)
}

/// What is free in bytes, where the system tells it: of the machine, of the group of processes, of the address space.
fn free(read: &impl Fn(&str) -> String) -> Option<usize> {
    let machine = number_after(&read("/proc/meminfo"), "MemAvailable:")?.saturating_mul(1 << 10);
    let process = number_after(&read("/proc/self/limits"), "Max address space");
    let groups = read("/proc/self/cgroup");
    let group = groups.lines().filter_map(|line| limit_of_group(line, read)).min();
    Some(machine.min(process.unwrap_or(usize::MAX)).min(group.unwrap_or(usize::MAX)))
}

/// The number that stands after a label.
fn number_after(text: &str, label: &str) -> Option<usize> {
    let rest = text.lines().find_map(|line| line.strip_prefix(label))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// The limit of the group that a line of `/proc/self/cgroup` names, or of one that it is in. In a container its own group is
/// mounted as if it were the outermost, whatever the line says.
fn limit_of_group(line: &str, read: &impl Fn(&str) -> String) -> Option<usize> {
    let (_, rest) = line.split_once(':')?;
    let (kinds, path) = rest.split_once(':')?;
    let (mount, file) = match kinds {
        "" => ("/sys/fs/cgroup", "memory.max"),
        kinds if kinds.split(',').any(|kind| kind == "memory") => {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        }
        _ => return None,
    };
    let outwards = Path::new(path).ancestors().filter_map(Path::to_str);
    let limit = |path: &str| {
        read(&format!("{mount}{}/{file}", path.trim_end_matches('/'))).trim().parse().ok()
    };
    outwards.filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is free in a system with some files.
    fn free_with(files: &[(&str, &str)]) -> Option<usize> {
        free(&|path| {
            let file = files.iter().find(|(known, _)| *known == path);
            file.map_or_else(String::new, |(_, text)| (*text).to_owned())
        })
    }

    const MACHINE: (&str, &str) =
        ("/proc/meminfo", "MemTotal:  64000000 kB\nMemAvailable:   32000000 kB\n");

    #[test]
    fn the_least_of_what_limits_a_process_counts() {
        assert_eq!(free_with(&[MACHINE]), Some(32_000_000 << 10));
        let limits = "Max cpu time  unlimited unlimited seconds\nMax address space  3000000000  unlimited  bytes\n";
        assert_eq!(free_with(&[MACHINE, ("/proc/self/limits", limits)]), Some(3_000_000_000));
        let unlimited = limits.replace("3000000000", "unlimited");
        let grouped = [
            MACHINE,
            ("/proc/self/limits", &unlimited),
            ("/proc/self/cgroup", "0::/users/one\n"),
            ("/sys/fs/cgroup/users/one/memory.max", "max\n"),
            ("/sys/fs/cgroup/users/memory.max", "2000000000\n"),
        ];
        assert_eq!(free_with(&grouped), Some(2_000_000_000));
    }

    #[test]
    fn groups_of_both_kinds_and_of_containers_are_found() {
        let older = [
            MACHINE,
            ("/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000000000\n"),
        ];
        assert_eq!(free_with(&older), Some(1_000_000_000));
        let newer = [
            MACHINE,
            ("/proc/self/cgroup", "0::/\n"),
            ("/sys/fs/cgroup/memory.max", "1000000000\n"),
        ];
        assert_eq!(free_with(&newer), Some(1_000_000_000));
    }

    #[test]
    fn where_nothing_is_told_it_is_the_least() {
        assert_eq!(free_with(&[]), None);
        assert!(for_rules(1 << 20, 1) <= MOST);
        assert_eq!(for_rules(MOST * 2, 1), MOST * 2);
    }
}
