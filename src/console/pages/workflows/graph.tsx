/** Graph of a workflow: arrows are dependencies; of a run, colours are states. */
import { type Edge, type EdgeProps, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react'
import '@xyflow/react/dist/base.css'
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { Direction, Point } from '../../../runtime/statecharts/layouts/chart-layout.ts'
import { arrowHead, roundedPath } from '../../charts/drawing/path.ts'
import { Tool } from '../../charts/tool.tsx'
import { Loading } from '../../ui/states.tsx'
import { type GraphLayout, useGraphLayout } from './graph-layout.ts'
import { StepBox, type StepNode, spokenOf } from './graph-step.tsx'
import type { DrawnStep, Plan } from './plan.ts'
import type { WorkflowStep } from './run.ts'
import './graph.css'

export interface GraphProps {
  /** undefined while loading. */
  plan: Plan | undefined
  /** Of a run; without one, the steps have no states. */
  steps?: readonly WorkflowStep[]
  chosen?: string | undefined
  /** Without it, steps cannot be chosen. */
  onChoose?: (stepId: string) => void
  /** Default: to the right where there is room. */
  direction?: Direction
}

type LineEdge = Edge<{ points: Point[]; state: WorkflowStep['state'] | undefined }, 'line'>

const heightMax = 460
const heightMin = 120
/** Minimum zoom at which text is legible. */
const zoomReadable = 0.6

export default function Graph({ plan, ...rest }: GraphProps) {
  if (!plan) return <Waiting />
  if (!plan.isKnown)
    return (
      <Note>The dependencies are in the Definition, which you do not have access to. The steps are listed below.</Note>
    )
  return <Drawing {...rest} plan={plan} />
}

const Waiting = () => <Loading rows={4} label="Loading the graph" />

const Note = ({ children }: { children: string }) => (
  <div className="graph graph-note" role="status">
    {children}
  </div>
)

/** Drawn top to bottom on narrow screens. */
const narrow = '(max-width: 48rem)'
const watchWidth = (changed: () => void) => {
  const query = matchMedia(narrow)
  query.addEventListener('change', changed)
  return () => query.removeEventListener('change', changed)
}
const useIsNarrow = () => useSyncExternalStore(watchWidth, () => matchMedia(narrow).matches)

function Drawing({ direction, ...props }: GraphProps & { plan: Plan }) {
  const isNarrow = useIsNarrow()
  const layout = useGraphLayout(props.plan.steps, direction ?? (isNarrow ? 'down' : 'right'))
  if (layout === undefined) return <Waiting />
  if (layout === 'failed') return <Note>The graph could not be drawn. The steps are listed below.</Note>
  return (
    <ReactFlowProvider key={`${layout.width} ${layout.height}`}>
      <Canvas {...props} layout={layout} />
    </ReactFlowProvider>
  )
}

const noSteps: readonly WorkflowStep[] = []

function Canvas(props: Omit<GraphProps, 'direction'> & { plan: Plan; layout: GraphLayout }) {
  const { layout, plan, steps = noSteps, chosen, onChoose } = props
  const { nodes, edges } = useMemo(() => elementsOf(layout, plan.steps, steps, chosen), [layout, plan, steps, chosen])
  const frame = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(0)
  const { setViewport } = useReactFlow()
  const zoom = Math.min(1, Math.max(zoomReadable, width / layout.width))
  const height = Math.min(heightMax, Math.max(heightMin, layout.height * zoom + 16))

  const isCut = width > 0 && (layout.width * zoom > width + 1 || layout.height * zoom > height)

  // before the first paint: its height follows from its width
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    setWidth(element.clientWidth)
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  /** Starts at the first step, at a legible size. */
  useEffect(() => {
    if (width === 0) return
    const [x, y] = [(width - layout.width * zoom) / 2, (height - layout.height * zoom) / 2]
    void setViewport({ x: Math.max(0, x), y: Math.max(0, y), zoom })
  }, [setViewport, layout, width, height, zoom])

  return (
    <>
      <section ref={frame} className="graph" style={{ height }} aria-label="Step graph">
        <ReactFlow<StepNode, LineEdge>
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          edgeTypes={edgeTypes}
          minZoom={0.1}
          maxZoom={2}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={onChoose !== undefined}
          elementsSelectable={onChoose !== undefined}
          edgesFocusable={false}
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          zoomActivationKeyCode={['Control', 'Meta']}
          zoomOnScroll={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          onNodesChange={(changes) => {
            const change = changes.find((one) => one.type === 'select' && one.selected)
            if (change && 'id' in change) onChoose?.(change.id)
          }}
          ariaLabelConfig={{ 'node.a11yDescription.default': 'Press Enter to open the step below.' }}
          proOptions={{ hideAttribution: true }}
        />
      </section>
      {isCut && <Tools />}
    </>
  )
}

function Tools() {
  const { zoomIn, zoomOut, fitView } = useReactFlow()
  return (
    <div className="graph-tools">
      <Tool label="Zoom in" icon="closer" onClick={() => zoomIn({ duration: 150 })} />
      <Tool label="Zoom out" icon="farther" onClick={() => zoomOut({ duration: 150 })} />
      <Tool label="Fit to view" icon="whole" onClick={() => fitView({ padding: 0.03, maxZoom: 1, duration: 200 })} />
    </div>
  )
}

function elementsOf(
  { steps: boxes, lines }: GraphLayout,
  drawn: readonly DrawnStep[],
  steps: readonly WorkflowStep[],
  chosen: string | undefined,
): { nodes: StepNode[]; edges: LineEdge[] } {
  const known = new Map(steps.map((step) => [step.stepId, step]))
  const nodes = drawn.flatMap((one): StepNode[] => {
    const [box, step] = [boxes[one.id], known.get(one.id)]
    if (!box) return []
    const { x, y, width, height } = box
    const isChosen = one.id === chosen
    return [
      {
        id: one.id,
        type: 'step',
        position: { x, y },
        width,
        height,
        selected: isChosen,
        ariaRole: 'group',
        ariaLabel: spokenOf(one, step),
        data: { drawn: one, step, isChosen },
      },
    ]
  })
  const edges = lines.map(
    ({ id, from, to, points }): LineEdge => ({
      id,
      type: 'line',
      source: from,
      target: to,
      selectable: false,
      data: { points, state: known.get(from)?.state },
    }),
  )
  return { nodes, edges }
}

function Line({ data }: EdgeProps<LineEdge>) {
  if (!data) return null
  return (
    <g className={`graph-line is-${data.state}`}>
      <path d={roundedPath(data.points)} />
      <polygon points={arrowHead(data.points, 7)} />
    </g>
  )
}

const nodeTypes = { step: StepBox }
const edgeTypes = { line: Line }
