/** Cost of model steps: over time, and by Agent, model, API key or Project. Shown only if the server has prices. */
import { useAddressQuery } from '../../address-query.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { useAgentNames } from '../runs/list/names.tsx'
import { costText } from '../runs/run/cost.ts'
import { countText } from '../runs/steps/steps.ts'
import { ChartCard } from './chart-card.tsx'
import { costBarsOf, type Range, type Scope, type Statistics } from './figures.ts'
import { barText, LazyPlot } from './lazy-plot.tsx'
import { type CostWay, costWay, costWays, useCostShares } from './use-costs.ts'

type Amount = Statistics['costs'][number]
type Share = NonNullable<Statistics['items']>[number]

const none = '–'
const amountText = (amount: number, currency: string) =>
  costText({ cost: { amount: String(amount), currency } }) ?? none
const amountsText = (costs: readonly Amount[]) => costs.map((cost) => costText({ cost })).join(' + ') || none

const about = {
  '24h': 'By the hour in which model steps ended.',
  '7d': 'By six hours in which model steps ended.',
  '30d': 'By the day in which model steps ended, in UTC.',
} as const satisfies Record<Range['value'], string>

/** Renders nothing without prices. */
export function Costs(props: { statistics: Statistics; scope: Scope; range: Range }) {
  if (props.statistics.modelSteps === 0) return null
  return (
    <div className="overview-charts">
      <CostsOverTime {...props} />
      <CostShares {...props} />
    </div>
  )
}

function CostsOverTime({ statistics, range }: { statistics: Statistics; range: Range }) {
  const { buckets, costs, unpricedSteps } = statistics
  const bars = costBarsOf(buckets, range.barMs)
  const currencies = costs.map(({ currency }) => currency)
  const [drawn] = currencies
  const words = [
    about[range.value],
    currencies.length > 1 && `The bars are in ${drawn}.`,
    unpricedSteps > 0 && `${countText(unpricedSteps)} model steps had no price.`,
  ]
  return (
    <ChartCard
      title="Cost over time"
      about={words.filter((part) => part !== false).join(' ')}
      legend={costs.map((cost) => ({
        title: cost.currency,
        token: cost.currency === drawn ? '--accent' : '--idle',
        value: amountsText([cost]),
      }))}
      chart={
        drawn === undefined ? (
          <p className="overview-nothing faint">No model step had a price in {range.words}.</p>
        ) : (
          <LazyPlot
            times={bars.map(({ from }) => from)}
            series={[{ title: drawn, token: '--accent', values: bars.map(({ amounts }) => amounts[drawn] ?? 0) }]}
            format={(value) => (value === 0 ? '0' : amountText(value, drawn))}
          />
        )
      }
      table={{
        columns: ['From', ...currencies],
        rows: bars
          .filter(({ amounts }) => Object.keys(amounts).length > 0)
          .map(({ from, amounts }) => [
            barText(from),
            ...currencies.map((currency) =>
              amounts[currency] === undefined ? none : amountText(amounts[currency], currency),
            ),
          ]),
      }}
    />
  )
}

function CostShares({ scope, range }: { scope: Scope; range: Range }) {
  const { values, change } = useAddressQuery('by')
  const by = costWay(values.by)
  const shares = useCostShares(scope, range, by)
  return (
    <section className="panel chart-card" aria-label="Cost by owner">
      <header className="chart-card-head">
        <h2>Cost</h2>
        <Segments label="Cost by" value={by} options={[...costWays]} onChoose={(next) => change({ by: next })} />
      </header>
      <Shown resource={shares} rows={5}>
        {({ items = [] }) =>
          items.length === 0 ? (
            <Empty icon="clock" title="No costs">
              No model step ended in {range.words}.
            </Empty>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
            <section className="chart-figures" tabIndex={0} aria-label="Costs: figures">
              <table className="chart-table">
                <thead>
                  <tr>
                    {[wayTitle(by), 'Cost', 'Model steps', 'Tokens'].map((title) => (
                      <th key={title} scope="col">
                        {title}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {items.map((share) => (
                    <tr key={keyOf(share)}>
                      <th scope="row">
                        <Owner by={by} share={share} />
                      </th>
                      <td>{amountsText(share.costs)}</td>
                      <td>{countText(share.modelSteps)}</td>
                      <td>{countText(share.inputTokens + share.outputTokens)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
          )
        }
      </Shown>
    </section>
  )
}

const wayTitle = (by: CostWay) => costWays.find(({ value }) => value === by)?.title ?? ''

const keyOf = ({ agentId, provider, model, apiKeyId, projectId }: Share) =>
  [agentId, provider, model, apiKeyId, projectId].join(' ')

const nameless = { agent: 'Unknown', model: 'Unknown', apiKey: 'No API key', project: 'System Agents' } as const

function Owner({ by, share }: { by: keyof typeof nameless; share: Share }) {
  const systemAgents = useAgentNames(by === 'agent' && !share.name ? null : undefined)
  const keys = useKeyNames(by === 'apiKey')
  const id = share.agentId ?? share.apiKeyId ?? share.projectId ?? undefined
  if (by === 'model') return <span title={share.provider ?? undefined}>{share.model ?? nameless.model}</span>
  if (id === undefined) return <span className="faint">{nameless[by]}</span>
  const name = share.name ?? systemAgents.get(id) ?? keys.get(id)
  return name ? <span title={id}>{name}</span> : <code title={id}>{`${id.slice(0, 8)}…${id.slice(-6)}`}</code>
}

/** Names of API keys by id; none without the permission to list them. */
function useKeyNames(isShown: boolean): ReadonlyMap<string, string> {
  const api = useApi()
  const keys = useResource(isShown ? ['keys', 'names'] : null, (options) =>
    api.v1['api-keys'].get({ ...options, query: { limit: 100 } }),
  )
  return new Map((keys.value?.items ?? []).map(({ id, name }) => [id, name]))
}
