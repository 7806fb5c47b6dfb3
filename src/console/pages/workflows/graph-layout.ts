/** Layout of a workflow's graph, by the Eclipse Layout Kernel. */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js'
import { useEffect, useState } from 'react'
import type { Box, Direction, Point } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import { layoutKernel } from '../../charts/kernel.ts'
import type { DrawnStep } from './plan.ts'

export interface GraphLayout {
  width: number
  height: number
  /** Keyed by step id. */
  steps: Record<string, Box>
  lines: { id: string; from: string; to: string; points: Point[] }[]
}

const stepSize = { width: 220, height: 58 }

const options: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.layered.spacing.nodeNodeBetweenLayers': '44',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.spacing.nodeNode': '20',
  'elk.spacing.edgeNode': '14',
  'elk.padding': '[top=16,left=16,bottom=16,right=16]',
}

export function graphOf(steps: readonly DrawnStep[], direction: Direction): ElkNode {
  return {
    id: 'workflow',
    layoutOptions: { ...options, 'elk.direction': direction === 'right' ? 'RIGHT' : 'DOWN' },
    children: steps.map(({ id }) => ({ id, ...stepSize })),
    edges: steps.flatMap(({ id, after }) =>
      after.map((other) => ({ id: `${other} → ${id}`, sources: [other], targets: [id] })),
    ),
  }
}

async function layOut(steps: readonly DrawnStep[], direction: Direction): Promise<GraphLayout> {
  const { width = 0, height = 0, children = [], edges = [] } = await layoutKernel().layout(graphOf(steps, direction))
  return {
    width,
    height,
    steps: Object.fromEntries(
      children.map(({ id, x = 0, y = 0, width = 0, height = 0 }) => [id, { x, y, width, height }]),
    ),
    lines: (edges as ElkExtendedEdge[]).map(({ id, sources, targets, sections = [] }) => ({
      id,
      from: sources[0] ?? '',
      to: targets[0] ?? '',
      points: sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint]),
    })),
  }
}

const known = new Map<string, Promise<GraphLayout>>()
const knownMax = 20

function layoutOf(steps: readonly DrawnStep[], direction: Direction, name: string): Promise<GraphLayout> {
  const found = known.get(name)
  if (found) return found
  const making = layOut(steps, direction)
  if (known.size >= knownMax) known.clear()
  known.set(name, making)
  making.catch(() => known.delete(name))
  return making
}

/** undefined until the first is computed; `failed` on error. */
export function useGraphLayout(steps: readonly DrawnStep[], direction: Direction): GraphLayout | 'failed' | undefined {
  const name = JSON.stringify([direction, steps.map(({ id, after }) => [id, after])])
  const [made, setMade] = useState<{ name: string; layout: GraphLayout | 'failed' }>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name identifies the steps and the direction
  useEffect(() => {
    let wanted = true
    layoutOf(steps, direction, name).then(
      (layout) => wanted && setMade({ name, layout }),
      () => wanted && setMade({ name, layout: 'failed' }),
    )
    return () => {
      wanted = false
    }
  }, [name])
  // the previous one stays until the next is made: steps that it does not have are not drawn
  return made?.layout
}
