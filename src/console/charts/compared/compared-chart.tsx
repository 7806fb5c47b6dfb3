/** Two statecharts, compared on one chart, with the differences listed beside it. */
import { useMemo } from 'react'
import { Chart } from '../chart.tsx'
import { unlit } from '../lit.ts'
import type { Machine } from '../model.ts'
import { compare } from './compared.ts'
import './compared.css'
import { signOf } from './marks.ts'

export interface ComparedChartProps {
  before: Machine
  after: Machine
  /** Shown in place of the list if there are no differences. */
  whenSame: string
  height: number | string
}

export default function ComparedChart({ before, after, whenSame, height }: ComparedChartProps) {
  const { same, model, marks, texts } = useMemo(() => compare(before, after), [before, after])
  return (
    <div className="compared">
      <Chart model={model} lit={unlit} marks={marks} height={height} direction="down" />
      {same ? (
        <p className="faint">{whenSame}</p>
      ) : (
        <ul className="compared-list" aria-label="Differences of the statecharts">
          {texts.map(({ key, change, text }) => (
            <li key={key} className={`is-${change}`}>
              <span className="compared-sign" aria-hidden="true">
                {signOf[change]}
              </span>
              <span>{text}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
