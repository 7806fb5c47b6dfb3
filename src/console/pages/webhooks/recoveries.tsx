/** Recoveries of a webhook, newest first; renders nothing if there are none. */
import { usePages } from '../../data/pages.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Section } from '../../ui/page.tsx'
import { DataTable } from '../../ui/table.tsx'
import { AbsoluteTime, Duration, Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { recoveryMs } from './recovery-progress.tsx'

export function Recoveries({ webhookId }: { webhookId: string }) {
  const { environmentId, environment } = useEnvironment()
  const pages = usePages(
    ['webhooks', environmentId, webhookId, 'recoveries', 'list'],
    (options, query) => environment.webhooks({ webhookId }).recoveries.get({ ...options, query }),
    { limit: 10, every: (items) => (items?.some(({ state }) => state === 'running') ? recoveryMs : null) },
  )
  if (!pages.items || (pages.items.length === 0 && pages.page === 1)) return null
  return (
    <Section title="Recoveries">
      <DataTable
        label="recoveries"
        pages={pages}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Events since', cell: ({ since }) => <AbsoluteTime at={since} /> },
          {
            title: 'State',
            cell: ({ state, error }) => (
              <span title={error?.message}>
                <StateBadge state={state} />
              </span>
            ),
          },
          {
            title: 'Failed deliveries',
            align: 'end',
            cell: ({ progress }) => progress.retried.toLocaleString('en'),
          },
          { title: 'Missed events', align: 'end', cell: ({ progress }) => progress.made.toLocaleString('en') },
          { title: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Duration',
            align: 'end',
            cell: ({ createdAt, endedAt }) => <Duration from={createdAt} to={endedAt} />,
          },
        ]}
        empty={null}
      />
    </Section>
  )
}
