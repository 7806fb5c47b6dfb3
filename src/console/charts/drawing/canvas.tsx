/** A statechart on a canvas with zoom and pan; it highlights the current state and the latest transitions. */
import { type EdgeChange, MiniMap, type NodeChange, ReactFlow, ReactFlowProvider } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { type CSSProperties, type RefObject, useMemo, useRef } from 'react'
import { toneOf } from '../../ui/badge.tsx'
import './chart.css'
import './chart-states.css'
import './chart-moves.css'
import './chart-afar.css'
import type { ChartLayout, Direction } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import type { Marks } from '../compared/marks.ts'
import { type Lit, unlit } from '../lit.ts'
import type { ChartModel } from '../model.ts'
import type { Selection } from '../selection.ts'
import { Tools } from '../tools.tsx'
import { mapSize, useView, zoomMin } from '../view.ts'
import { type ChartNode, elementsOf } from './elements.ts'
import { type MoveEdge, MoveLine } from './move-edge.tsx'
import type { Population } from './population.ts'
import { Dot, GroupFrame, GroupTitle, StateBox } from './state-node.tsx'

export interface CanvasProps {
  model: ChartModel
  layout: ChartLayout
  direction: Direction
  /** Offers a switch to the other direction. */
  turn?: ((direction: Direction) => void) | undefined
  lit?: Lit
  selection?: Selection
  /** The number of actors in each state, if the chart shows a kind. */
  population?: Population | undefined
  /** The differences from another chart. */
  marks?: Marks | undefined
  onSelect?: (change: (before: Selection) => Selection) => void
  height: number | string
  /** The element for full screen, if it is more than the chart. */
  stage?: RefObject<HTMLElement | null>
  /** Without tools, scaled to the available space. */
  small?: boolean
}

const nodeTypes = { state: StateBox, frame: GroupFrame, title: GroupTitle, dot: Dot }
const edgeTypes = { move: MoveLine }
/** A state has the same colours on the overview map as on the chart. */
const mapClass = (node: ChartNode): string =>
  node.type === 'state' ? `chart-tone-${toneOf(node.id)}${node.data.isActive ? ' is-active' : ''}` : `is-${node.type}`
const spoken = {
  'node.a11yDescription.default': 'Press Enter to show its transitions. Press Escape to clear the selection.',
  'edge.a11yDescription.default': 'Press Enter to show its transitions. Press Escape to clear the selection.',
}
export const Canvas = (props: CanvasProps) => (
  <ReactFlowProvider>
    <Inside {...props} />
  </ReactFlowProvider>
)

function Inside(props: CanvasProps) {
  const {
    model,
    layout,
    direction,
    turn,
    lit = unlit,
    selection = null,
    population,
    marks,
    onSelect,
    height,
    stage,
    small = false,
  } = props
  const frame = useRef<HTMLElement>(null)
  const { nodes, edges } = useMemo(
    () => elementsOf({ model, layout, lit, selection, population, marks }),
    [model, layout, lit, selection, population, marks],
  )
  const { showAll, lookAround, isFar, isMapped, namePx } = useView(frame, { model, layout, lit, small })

  const select = (changes: (NodeChange<ChartNode> | EdgeChange<MoveEdge>)[], to: (id: string) => Selection) => {
    for (const change of changes) {
      if (change.type !== 'select') continue
      const chosen = to(change.id)
      const same = (before: Selection) => JSON.stringify(before) === JSON.stringify(chosen)
      onSelect?.((before) => (change.selected ? chosen : same(before) ? null : before))
    }
  }

  return (
    <section
      className={isFar ? 'chart is-far' : 'chart'}
      ref={frame}
      style={{ height, '--name': `${namePx}px` } as CSSProperties}
      aria-label={lit.active === null ? `Statechart: ${model.title}` : `Statechart: ${model.title}, in ${lit.active}`}
    >
      <ReactFlow<ChartNode, MoveEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onNodesChange={(changes) => select(changes, (state) => ({ state }))}
        onEdgesChange={(changes) => select(changes, (edge) => ({ edge }))}
        onMoveStart={(event) => event && lookAround()}
        minZoom={zoomMin}
        maxZoom={2.5}
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={onSelect !== undefined}
        nodesFocusable={!small}
        edgesFocusable={!small}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomActivationKeyCode={['Control', 'Meta']}
        // a small chart is part of a page: dragging on it scrolls the page
        panOnDrag={!small}
        zoomOnScroll={false}
        zoomOnDoubleClick={false}
        preventScrolling={false}
        ariaLabelConfig={spoken}
        proOptions={{ hideAttribution: true }}
      >
        {!small && <Tools frame={stage ?? frame} direction={direction} turn={turn} fit={showAll} />}
        {isMapped && (
          <MiniMap
            pannable
            position="bottom-right"
            className="chart-map"
            style={mapSize(small)}
            nodeClassName={mapClass}
            ariaLabel="Overview map"
          />
        )}
      </ReactFlow>
    </section>
  )
}
