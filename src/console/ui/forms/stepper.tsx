/** Steps of a process: done, current and ahead. */
import { Icon } from '../icon.tsx'
import './stepper.css'

export interface Step {
  title: string
  is: 'done' | 'current' | 'failed' | 'ahead' | 'left'
  /** Shown below the title. */
  note?: string | undefined
}

const spoken = { done: 'done', current: 'now', failed: 'failed', ahead: 'pending', left: 'skipped' }

export const Stepper = ({ label, steps }: { label: string; steps: Step[] }) => (
  <ol className="stepper" aria-label={label}>
    {steps.map(({ title, is, note }, place) => (
      <li key={title} className={`step step-${is}`} aria-current={is === 'current' ? 'step' : undefined}>
        <span className="step-sign" aria-hidden="true">
          {is === 'done' ? (
            <Icon name="check" size={14} />
          ) : is === 'failed' ? (
            <Icon name="close" size={14} />
          ) : (
            place + 1
          )}
        </span>
        <span className="step-words">
          <span className="step-title">
            {title}
            <span className="visually-hidden">: {spoken[is]}</span>
          </span>
          {note && <span className="step-note">{note}</span>}
        </span>
      </li>
    ))}
  </ol>
)
