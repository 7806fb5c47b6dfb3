/** A statechart with its layout: loading, drawn or failed. */
import { useState } from 'react'
import type { Direction } from '../../runtime/statecharts/layouts/chart-layout.ts'
import { Canvas, type CanvasProps } from './drawing/canvas.tsx'
import { useLayout } from './drawing/layouts.ts'
import type { ChartModel } from './model.ts'

interface ChartProps extends Omit<CanvasProps, 'model' | 'layout' | 'direction' | 'turn'> {
  model: ChartModel | undefined
  /** The initial direction; the user may change it. */
  direction?: Direction
  onTurn?: (direction: Direction) => void
}

export function Chart({ model, direction: given = 'down', onTurn, height, ...rest }: ChartProps) {
  const [direction, turn] = useState(given)
  const turnTo = (to: Direction) => {
    turn(to)
    onTurn?.(to)
  }
  const { layout, failed } = useLayout(model, direction)
  if (model && layout) {
    return (
      <Canvas
        {...rest}
        key={model.key}
        model={model}
        layout={layout}
        direction={direction}
        turn={turnTo}
        height={height}
      />
    )
  }
  return (
    <div className="chart chart-note" style={{ height }} role="status">
      {failed ? 'The chart could not be drawn. The tables show the same states and transitions.' : 'Loading the chart'}
    </div>
  )
}
