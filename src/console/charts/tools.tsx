/** The tools of a chart: zoom, fit to view, direction, full screen. */
import { Panel, useReactFlow } from '@xyflow/react'
import type { RefObject } from 'react'
import type { Direction } from '../../runtime/statecharts/layouts/chart-layout.ts'
import { Tool } from './tool.tsx'

interface ToolsProps {
  frame: RefObject<HTMLElement | null>
  direction: Direction
  turn: ((direction: Direction) => void) | undefined
  /** Fits the whole chart into the view. */
  fit: () => void
}

export function Tools({ frame, direction, turn, fit }: ToolsProps) {
  const { zoomIn, zoomOut } = useReactFlow()
  const toggleFull = () =>
    document.fullscreenElement ? document.exitFullscreen() : frame.current?.requestFullscreen?.().catch(() => {})
  const other = direction === 'right' ? 'down' : 'right'
  return (
    <Panel position="top-right" className="chart-tools">
      <Tool label="Zoom in" icon="closer" onClick={() => zoomIn({ duration: 150 })} />
      <Tool label="Zoom out" icon="farther" onClick={() => zoomOut({ duration: 150 })} />
      <Tool label="Fit to view" icon="whole" onClick={fit} />
      {turn && (
        <Tool
          label={other === 'right' ? 'Lay out horizontally' : 'Lay out vertically'}
          icon={other}
          onClick={() => turn(other)}
        />
      )}
      <Tool label="Full screen" icon="full" onClick={toggleFull} />
    </Panel>
  )
}
