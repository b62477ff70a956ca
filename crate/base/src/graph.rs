//! Strongly connected components (Tarjan 1972, with its own stack).

/// The strongly connected components, each in ascending order, those that others reach first.
pub fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let n = edges.len();
    let (mut order, mut low, mut on_stack) = (crate::filled(UNSEEN, n), crate::filled(0, n), crate::filled(false, n));
    let (mut path, mut calls, mut found, mut counter) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for start in 0..n {
        if order[start] == UNSEEN {
            calls.push((start, 0));
        }
        while let Some((node, edge)) = calls.pop() {
            if edge == 0 {
                order[node] = counter;
                low[node] = counter;
                counter += 1;
                path.push(node);
                on_stack[node] = true;
            } else {
                low[node] = low[node].min(low[edges[node][edge - 1]]);
            }
            let rest = edges[node][edge..].iter().position(|&next| {
                if order[next] != UNSEEN && on_stack[next] {
                    low[node] = low[node].min(order[next]);
                }
                order[next] == UNSEEN
            });
            if let Some(skip) = rest {
                calls.push((node, edge + skip + 1));
                calls.push((edges[node][edge + skip], 0));
            } else if low[node] == order[node] {
                let at = path.iter().rposition(|&on| on == node).expect("a root is on the path");
                let mut group = path.split_off(at);
                group.iter().for_each(|&member| on_stack[member] = false);
                crate::sort(&mut group);
                found.push(group);
            }
        }
    }
    found
}
