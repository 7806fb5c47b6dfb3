/** What was used in the current period: minutes as a meter, runs and tokens as numbers. */
import { Facts } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import '../../ui/meter.css'
import './billing.css'
import './settings.css'

export interface Usage {
  period: { start: string; end: string }
  minutes: { used: number; budget: number | null; remaining: number | null }
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
}

const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 })

/** How much is gone, in a word for the colour. */
const levelOf = (share: number) => (share >= 1 ? 'full' : share >= 0.8 ? 'high' : 'fine')

export function UsageView({ usage: { period, minutes, runs, tokens } }: { usage: Usage }) {
  return (
    <div className="stack">
      <div className="panel">
        <Minutes {...minutes} />
        <p className="faint">
          The period ends <Time at={period.end} />, and minutes are counted anew.
        </p>
      </div>
      <Facts
        facts={[
          ['Runs started', count(runs.started)],
          ['Runs completed', count(runs.completed)],
          ['Runs failed', count(runs.failed)],
          ['Tokens in', count(tokens.input)],
          ['Tokens out', count(tokens.output)],
        ]}
      />
    </div>
  )
}

function Minutes({ used, budget, remaining }: Usage['minutes']) {
  if (budget === null || remaining === null) {
    return (
      <p className="meter-head">
        <strong>{count(used)} minutes</strong>
        <span className="faint">without a bound</span>
      </p>
    )
  }
  const share = budget === 0 ? 1 : used / budget
  const text = `${count(used)} of ${count(budget)} minutes`
  return (
    <div className="meter">
      <p className="meter-head">
        <strong>{text}</strong>
        <span className="faint">{remaining === 0 ? 'nothing is left' : `${count(remaining)} left`}</span>
      </p>
      <meter className="visually-hidden" aria-label="Minutes used" min={0} max={budget} value={Math.min(used, budget)}>
        {text}
      </meter>
      <div className="meter-track" data-level={levelOf(share)} aria-hidden="true">
        <span style={{ width: `${Math.min(100, share * 100)}%`, minWidth: share > 0 ? 2 : 0 }} />
      </div>
      {remaining === 0 && (
        <p className="standing-bad">New runs are refused until the period ends, or there is another plan.</p>
      )}
    </div>
  )
}
