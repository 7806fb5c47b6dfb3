/** States within states: a group is a state with states of its own; an actor is always in one of the innermost. */
import type { AnyStateNode } from 'xstate'

/** The innermost states within a node, in the order of the statechart. */
export const leavesOf = (node: AnyStateNode): AnyStateNode[] => {
  const children = Object.values(node.states) as AnyStateNode[]
  return children.flatMap((child) => (child.type === 'atomic' ? [child] : leavesOf(child)))
}

/** The groups within a node, outer ones first. */
export const groupsOf = (node: AnyStateNode): AnyStateNode[] => {
  const children = Object.values(node.states) as AnyStateNode[]
  return children.flatMap((child) => (child.type === 'atomic' ? [] : [child, ...groupsOf(child)]))
}

/** A state and the groups that it is in, from the inside out; without the statechart itself. */
export const pathOf = (node: AnyStateNode): AnyStateNode[] =>
  node.parent === undefined ? [] : [node, ...pathOf(node.parent)]

/** The state that entering a node leads to, unless another one is named. */
export const firstOf = (node: AnyStateNode): AnyStateNode =>
  node.type === 'compound' ? firstOf(node.initial.target[0] as AnyStateNode) : node

export interface Crossing {
  /** In the order in which they are left: from the inside out. */
  left: AnyStateNode[]
  /** In the order in which they are entered: from the outside in. */
  entered: AnyStateNode[]
  /** The groups that the actor is in before and after. */
  kept: AnyStateNode[]
}

/**
 * What a transition leaves and enters, as SCXML has it: everything below the innermost group around its source and its
 * target. One into its own source leaves only what is inside of that, unless it re-enters.
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
