/** Nested states: a group is a state that contains states; an actor is always in an innermost state. */
import type { AnyStateNode } from 'xstate'

/** The innermost states within a node, in the order of the statechart. */
export const leavesOf = (node: AnyStateNode): AnyStateNode[] => {
  const children = Object.values(node.states) as AnyStateNode[]
  return children.flatMap((child) => (child.type === 'atomic' ? [child] : leavesOf(child)))
}

/** The groups within a node, outer groups first. */
export const groupsOf = (node: AnyStateNode): AnyStateNode[] => {
  const children = Object.values(node.states) as AnyStateNode[]
  return children.flatMap((child) => (child.type === 'atomic' ? [] : [child, ...groupsOf(child)]))
}

/** A state and the groups around it, from the inside out, without the root of the statechart. */
export const pathOf = (node: AnyStateNode): AnyStateNode[] =>
  node.parent === undefined ? [] : [node, ...pathOf(node.parent)]

/** The innermost state that is entered by default when the node is entered. */
export const firstOf = (node: AnyStateNode): AnyStateNode =>
  node.type === 'compound' ? firstOf(node.initial.target[0] as AnyStateNode) : node

interface Crossing {
  /** The states left, in order: from the inside out. */
  left: AnyStateNode[]
  /** The states entered, in order: from the outside in. */
  entered: AnyStateNode[]
  /** The groups around the actor's state, before and after. */
  kept: AnyStateNode[]
}

/**
 * The states that a transition leaves and enters, by the rules of SCXML: everything below the innermost group around
 * its source and its target. A transition into its own source leaves only the states inside it, unless it re-enters.
 */
export function crossingOf(
  leaf: AnyStateNode,
  { source, target, reenter }: { source: AnyStateNode; target: AnyStateNode | null; reenter: boolean },
): Crossing {
  const from = pathOf(leaf)
  if (target === null) return { left: [], entered: [], kept: from.slice(1) }
  const to = pathOf(target)
  const around = new Set(pathOf(source).slice(1))
  const domain = !reenter && to.includes(source) ? source : to.slice(1).find((node) => around.has(node))
  const kept = domain ? pathOf(domain) : []
  return {
    left: from.filter((node) => !kept.includes(node)),
    entered: to.filter((node) => !kept.includes(node)).reverse(),
    kept,
  }
}
