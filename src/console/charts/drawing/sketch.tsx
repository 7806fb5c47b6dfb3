/** A statechart as a small drawing without text. */
import { toneOf } from '../../ui/badge.tsx'
import './chart-states.css'
import './chart-moves.css'
import './sketch.css'
import type { ChartModel } from '../model.ts'
import { useLayout } from './layouts.ts'
import { arrowHead, roundedPath } from './path.ts'

interface SketchProps {
  model: ChartModel | undefined
  activeState?: string
}

export function Sketch({ model, activeState }: SketchProps) {
  const { layout } = useLayout(model, 'right')
  if (!model || !layout) return <span className="sketch" aria-hidden="true" />
  const { width, height, initial } = layout
  // lines keep their width at any scale
  const strength = Math.max(1.5, width / 220)
  const inset = Math.min(strength * 2.5, 14)
  return (
    <svg className="sketch" viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
      {Object.entries(layout.groups).map(([name, box]) => (
        <rect key={name} className="sketch-group" {...box} rx={14} style={{ strokeWidth: strength }} />
      ))}
      {model.edges.map(({ id }) => {
        const points = layout.edges[id]?.points ?? []
        return (
          <g key={id}>
            <path className="chart-line" d={roundedPath(points)} style={{ strokeWidth: strength }} />
            <polygon className="chart-arrow" points={arrowHead(points, 6 + strength * 2)} />
          </g>
        )
      })}
      {initial && <circle className="sketch-dot" cx={initial.dot.x + 6} cy={initial.dot.y + 6} r={6 + strength} />}
      {model.states.map(({ name, isFinal }) => {
        const box = layout.states[name]
        if (!box) return null
        const classes = `sketch-state chart-tone-${toneOf(name)}${name === activeState ? ' is-active' : ''}`
        return (
          <g key={name} className={classes} style={{ strokeWidth: strength }}>
            <rect {...box} rx={10} />
            {isFinal && (
              <rect
                className="sketch-end"
                x={box.x + inset}
                y={box.y + inset}
                width={box.width - inset * 2}
                height={box.height - inset * 2}
                rx={4}
              />
            )}
          </g>
        )
      })}
    </svg>
  )
}
