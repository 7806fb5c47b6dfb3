/** The selection in a statechart: a state or an edge. */
import type { ChartModel } from './model.ts'

export type Selection = { state: string } | { edge: string } | null

export const isState = (selection: Selection, state: string): boolean =>
  selection !== null && 'state' in selection && selection.state === state

export const isEdge = (selection: Selection, edge: string): boolean =>
  selection !== null && 'edge' in selection && selection.edge === edge

/** The selected parts, so that the others can be dimmed; undefined for all. */
export function neighbourhood(
  { edges, groups }: ChartModel,
  selection: Selection,
): { states: Set<string>; edges: Set<string> } | undefined {
  if (selection === null) return undefined
  const within = (name: string) => groups.find((group) => group.name === name)?.states ?? [name]
  const near = edges.filter((edge) =>
    'edge' in selection
      ? edge.id === selection.edge
      : [edge.from, edge.to].some((end) => within(end).includes(selection.state)),
  )
  const states = new Set(near.flatMap(({ from, to }) => [...within(from), ...within(to)]))
  if ('state' in selection) states.add(selection.state)
  return { states, edges: new Set(near.map(({ id }) => id)) }
}
