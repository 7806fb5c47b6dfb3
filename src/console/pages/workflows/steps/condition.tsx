/** The condition of a step, with the values that it looks at. */
import { Fragment } from 'react'
import { Code } from '../../../ui/text/code.tsx'
import type { WorkflowRun } from '../run.ts'
import { lookedAt, oneLine, valuesOf } from './step-words.ts'

interface ConditionProps {
  when: unknown
  run: WorkflowRun
  /** Whether its values are known: those of steps that have not ended are not. */
  isDecided: boolean
}

export function Condition({ when, run, isDecided }: ConditionProps) {
  const values = isDecided ? lookedAt(when, valuesOf(run)) : []
  return (
    <section className="workflow-condition" aria-label="Condition">
      <h3>Condition</h3>
      <Code label="condition" text={typeof when === 'string' ? when : JSON.stringify(when, null, 2)} wrap />
      {values.length > 0 && (
        <dl className="fact-rows">
          {values.map(([name, value]) => (
            <Fragment key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <code>{oneLine(JSON.stringify(value))}</code>
              </dd>
            </Fragment>
          ))}
        </dl>
      )}
    </section>
  )
}
