/** Usage of a period: minutes, runs, tokens, by Project or Agent. */
import { useAddressQuery } from '../../../address-query.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { Choice, Choices } from '../../../ui/forms/choice.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { Shown } from '../../../ui/states.tsx'
import { count } from './billing-figures.ts'
import { Limits, type LimitsOfUsage } from './billing-limits.tsx'
import { Minutes, type MinutesOfUsage } from './billing-minutes.tsx'
import { Shares, type UsageShare } from './billing-shares.tsx'
import './billing.css'
import { useOrganization } from '../organization/use-organization.ts'

interface Period {
  start: string
  end: string
}

interface Usage {
  period: Period
  minutes: MinutesOfUsage
  runs: { started: number; completed: number; failed: number }
  tokens: { input: number; output: number }
  costs?: { amount: string; currency: string }[]
  limits: LimitsOfUsage
  pastPeriods: Period[]
  items?: UsageShare[]
}

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
/** `Nov 1, 2026 – Nov 30, 2026`; the end instant itself is exclusive. */
const periodText = ({ start, end }: Period) => day.formatRange(Date.parse(start), Date.parse(end) - 1)

const ways = [
  { value: 'project', title: 'By Project' },
  { value: 'agent', title: 'By Agent' },
] as const
type By = (typeof ways)[number]['value']

/** A new subscription ends the current period early. */
const isOver = ({ period, pastPeriods }: Usage) =>
  pastPeriods.some(({ start }) => start === period.start) || Date.parse(period.end) <= Date.now()

export function UsageSection() {
  const api = useApi()
  const { id } = useOrganization()
  const { values, change } = useAddressQuery('period', 'by')
  const by: By = values.by === 'agent' ? 'agent' : 'project'
  const period = values.period || undefined
  const usage = useResource(['billing', 'usage', by, period], (options) =>
    api.v1
      .organizations({ organizationIdOrSlug: id })
      .billing.usage.get({ ...options, query: { by, ...(period && { period }) } }),
  )
  return (
    <Shown resource={usage} rows={6}>
      {(usage) => (
        <>
          <Section title="Usage">
            <UsageView usage={usage} isPast={isOver(usage)} by={by} choose={change} />
          </Section>
          <Section title="Limits">
            <Limits limits={usage.limits} />
          </Section>
        </>
      )}
    </Shown>
  )
}

interface UsageViewProps {
  usage: Usage
  isPast: boolean
  by: By
  choose: (changes: { period?: string; by?: string }) => void
}

function UsageView({ usage, isPast, by, choose }: UsageViewProps) {
  const { period, minutes, runs, tokens, costs = [], items } = usage
  // a period in the query string may have no usage
  const isListed = !isPast || usage.pastPeriods.some(({ start }) => start === period.start)
  const pastPeriods = isListed ? usage.pastPeriods : [period, ...usage.pastPeriods]
  return (
    <div className="stack">
      {pastPeriods.length > 0 && (
        <Choices>
          <Choice label="Period" value={isPast ? period.start : ''} onChange={(start) => choose({ period: start })}>
            <option value="">Current period</option>
            {pastPeriods.map((past) => (
              <option key={past.start} value={past.start}>
                {periodText(past)}
              </option>
            ))}
          </Choice>
        </Choices>
      )}
      <div className="panel">
        <p className="faint">{periodText(period)}</p>
        <Minutes minutes={minutes} period={period} isPast={isPast} />
      </div>
      <Facts
        facts={[
          ['Runs started', count(runs.started)],
          ['Runs completed', count(runs.completed)],
          ['Runs failed', count(runs.failed)],
          ['Input tokens', count(tokens.input)],
          ['Output tokens', count(tokens.output)],
          ...costs.map(({ amount, currency }): [string, string] => [`Cost in ${currency}`, amount]),
        ]}
      />
      <div className="row">
        <Segments label="Break down" value={by} options={[...ways]} onChoose={(by) => choose({ by })} />
      </div>
      <Shares by={by} items={items ?? []} total={minutes.used} />
    </div>
  )
}
