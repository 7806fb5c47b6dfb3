/** Where everything of a statechart is drawn. The Eclipse Layout Kernel finds the places. */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js'
import { layoutKernel } from '../kernel.ts'
import type { ChartModel } from '../model.ts'
import { initialSize, labelOf, labelSize, stateSize } from './measure.ts'

export interface Point {
  x: number
  y: number
}

export interface Box extends Point {
  width: number
  height: number
}

export interface EdgeRoute {
  points: Point[]
  /** Where its words are. */
  label: Box | null
}

/** Across or downwards: how the moves mostly lead. */
export type Direction = 'right' | 'down'

export interface ChartLayout {
  width: number
  height: number
  /** By name. */
  states: Record<string, Box>
  /** By id. */
  edges: Record<string, EdgeRoute>
  /** The dot where everything begins, and its line. */
  initial: { dot: Box; points: Point[] } | null
}

/** Names of states are arbitrary: within the graph everything has a number instead. */
const initialId = 'initial'
const stateId = (place: number) => `state ${place}`
const edgeId = (place: number) => `edge ${place}`

const options: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.edgeLabels.inline': 'true',
  // the order in the machine is the order of a life
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.thoroughness': '40',
  'elk.layered.spacing.nodeNodeBetweenLayers': '22',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '9',
  'elk.spacing.nodeNode': '24',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '10',
  'elk.spacing.edgeLabel': '2',
  'elk.spacing.labelNode': '6',
  'elk.spacing.nodeSelfLoop': '12',
  'elk.padding': '[top=20,left=20,bottom=20,right=20]',
}

function graphOf({ states, edges }: ChartModel, direction: Direction): ElkNode {
  const ids = new Map(states.map(({ name }, place) => [name, stateId(place)]))
  const idOf = (name: string) => ids.get(name) ?? ''
  const initial = states.find(({ isInitial }) => isInitial)
  const lines: ElkExtendedEdge[] = edges.map((edge, place) => ({
    id: edgeId(place),
    sources: [idOf(edge.from)],
    targets: [idOf(edge.to)],
    labels: [{ id: `label ${place}`, text: edgeId(place), ...labelSize(labelOf(edge)) }],
  }))
  return {
    id: 'chart',
    layoutOptions: { ...options, 'elk.direction': direction === 'right' ? 'RIGHT' : 'DOWN' },
    children: [
      ...(initial ? [{ id: initialId, width: initialSize, height: initialSize }] : []),
      ...states.map((state) => ({ id: idOf(state.name), ...stateSize(state) })),
    ],
    edges: [
      ...(initial ? [{ id: `${initialId} line`, sources: [initialId], targets: [idOf(initial.name)] }] : []),
      ...lines,
    ],
  }
}

const boxOf = ({ x = 0, y = 0, width = 0, height = 0 }: Partial<Box>): Box => ({ x, y, width, height })

const pointsOf = ({ sections = [] }: ElkExtendedEdge): Point[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint])

/** Lays a statechart out. Rejects when that fails. */
export async function layOut(model: ChartModel, direction: Direction): Promise<ChartLayout> {
  const elk = layoutKernel()
  const { width = 0, height = 0, children = [], edges = [] } = await elk.layout(graphOf(model, direction))
  const boxes = new Map(children.map((child) => [child.id, boxOf(child)]))
  const lines = new Map((edges as ElkExtendedEdge[]).map((edge) => [edge.id, edge]))
  const routeOf = (id: string): EdgeRoute => {
    const line = lines.get(id)
    const [label] = line?.labels ?? []
    return { points: line ? pointsOf(line) : [], label: label ? boxOf(label) : null }
  }
  const dot = boxes.get(initialId)
  return {
    width,
    height,
    states: Object.fromEntries(model.states.map(({ name }, place) => [name, boxOf(boxes.get(stateId(place)) ?? {})])),
    edges: Object.fromEntries(model.edges.map(({ id }, place) => [id, routeOf(edgeId(place))])),
    initial: dot ? { dot, points: routeOf(`${initialId} line`).points } : null,
  }
}
