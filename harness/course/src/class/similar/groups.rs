//! Groups of similar submissions, after removal of the code that all were given.
use std::collections::{HashMap, HashSet};

/// The least similarity (Jaccard index) of two similar submissions.
const LEAST: f64 = 0.9;
/// The fewest sequences that a submission must have to be compared.
const FEWEST: usize = 20;
/// In a class of at least this many, sequences that more than half of them have are ignored.
const COMMON_IN: usize = 10;

/// A submission to be compared.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its name.
    pub name: &'a str,
    /// The hashes of its sequences, sorted, each once.
    pub shingles: &'a [u32],
}

/// Submissions each of which is similar to at least one other of the group.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Their indices among the members.
    pub members: Vec<usize>,
    /// The least and the greatest similarity of two similar members, from 0 to 1.
    pub likeness: (f64, f64),
}

/// Returns the groups, the smallest first: similarity of a few is the most remarkable.
pub fn groups(members: &[Member], given: &[u32]) -> Vec<Group> {
    let given: HashSet<u32> = given.iter().copied().chain(common(members)).collect();
    let own: Vec<Vec<u32>> = members
        .iter()
        .map(|member| member.shingles.iter().copied().filter(|hash| !given.contains(hash)).collect())
        .collect();
    let mut group_of: Vec<usize> = (0..members.len()).collect();
    let mut alike = Vec::new();
    for (i, one) in own.iter().enumerate().filter(|(_, one)| one.len() >= FEWEST) {
        for (j, two) in own.iter().enumerate().skip(i + 1).filter(|(_, two)| two.len() >= FEWEST) {
            let likeness = jaccard(one, two);
            if likeness >= LEAST {
                alike.push((i, likeness));
                let (kept, joined) = (group_of[i], group_of[j]);
                group_of.iter_mut().filter(|group| **group == joined).for_each(|group| *group = kept);
            }
        }
    }
    let mut groups: HashMap<usize, Group> = HashMap::new();
    for (member, likeness) in alike {
        let new = Group { members: Vec::new(), likeness: (1.0, 0.0) };
        let range = &mut groups.entry(group_of[member]).or_insert(new).likeness;
        *range = (range.0.min(likeness), range.1.max(likeness));
    }
    for (member, group) in group_of.iter().enumerate() {
        if let Some(group) = groups.get_mut(group) {
            group.members.push(member);
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by(|a, b| (a.members.len(), &a.members).cmp(&(b.members.len(), &b.members)));
    groups
}

/// The sequences that more than half of a large class has.
fn common(members: &[Member]) -> Vec<u32> {
    if members.len() < COMMON_IN {
        return Vec::new();
    }
    let mut count: HashMap<u32, usize> = HashMap::new();
    members.iter().flat_map(|member| member.shingles).for_each(|hash| *count.entry(*hash).or_default() += 1);
    count.into_iter().filter(|(_, count)| 2 * count > members.len()).map(|(hash, _)| hash).collect()
}

/// The Jaccard index: the size of the intersection over that of the union. Both are sorted.
fn jaccard(one: &[u32], two: &[u32]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0usize);
    while i < one.len() && j < two.len() {
        let order = one[i].cmp(&two[j]);
        both += usize::from(order.is_eq());
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    both as f64 / (one.len() + two.len() - both) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sets: &[Vec<u32>], given: &[u32]) -> Vec<Vec<usize>> {
        let members: Vec<Member> = sets.iter().map(|shingles| Member { name: "", shingles }).collect();
        groups(&members, given).into_iter().map(|group| group.members).collect()
    }

    #[test]
    fn copies_are_a_group_and_what_was_given_does_not_make_one() {
        let set = |from: u32, to: u32| (0..100).chain(from..to).collect::<Vec<u32>>();
        let sets = [set(200, 300), set(400, 500), set(202, 301), set(600, 700)];
        let given: Vec<u32> = (0..100).collect();
        assert_eq!(found(&sets, &given), [[0, 2]]);
        // Only the given code and very little of one's own.
        assert!(found(&[set(0, 0), set(0, 0), set(200, 210), set(200, 210)], &given).is_empty());
    }

    #[test]
    fn in_a_large_class_what_most_have_tells_nobody_apart() {
        let set = |own: u32| (0..100).chain(own * 1000..own * 1000 + 30).collect::<Vec<u32>>();
        let mut sets: Vec<Vec<u32>> = (1..=12).map(set).collect();
        sets.push(set(3));
        assert_eq!(found(&sets, &[]), [[2, 12]]);
    }

    #[test]
    fn likeness_is_what_both_have_of_what_either_has() {
        assert_eq!(jaccard(&[1, 2, 3], &[2, 3, 4]), 0.5);
        assert_eq!(jaccard(&[1, 2], &[1, 2]), 1.0);
        assert_eq!(jaccard(&[1], &[2]), 0.0);
    }
}
