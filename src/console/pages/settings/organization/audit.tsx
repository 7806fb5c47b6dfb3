/** Audit log. */
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { Author } from '../../../ui/author.tsx'
import { StateBadge, type Tone } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import '../settings.css'
import { SettingsPage } from '../settings-page.tsx'
import { AuditExport } from './audit-export.tsx'
import { AuditFilters, useAuditQuery } from './audit-filters.tsx'
import { useOrganizationPath } from './use-organization.ts'

const tones: Record<'allowed' | 'denied' | 'failed', Tone> = { allowed: 'good', denied: 'bad', failed: 'waiting' }

/** `addMember` → `add member` */
const spaced = (word: string) => word.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()

export default function AuditPage() {
  const api = useApi()
  const organization = useOrganizationPath()
  const narrowing = useAuditQuery()
  const { query, isNarrowed, clear } = narrowing
  const lines = usePages(['audit', JSON.stringify(query)], (options, page) =>
    api.v1.organizations(organization)['audit-events'].get({ ...options, query: { ...page, ...query } }),
  )
  return (
    <SettingsPage
      title="Audit log"
      about="All changes and refused attempts, newest first; repeated refusals are counted per minute. Entries are immutable and record field names, not values."
      actions={<AuditExport query={query} />}
    >
      <AuditFilters {...narrowing} />
      <DataTable
        label="audit log entries"
        pages={lines}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Action',
            cell: ({ operation, requestId, requestIdFrom, resource }) => (
              <span
                className="cell-main"
                title={`${operation}, request ${requestId}${requestIdFrom === 'client' ? ' (given by the client)' : ''}`}
              >
                <span className={resource.type === 'agentRun' ? 'faint' : 'strong'}>{spaced(operation)}</span>
              </span>
            ),
          },
          {
            title: 'Outcome',
            cell: ({ outcome, count }) => (
              <span className="row">
                <StateBadge state={outcome} tone={tones[outcome]} />
                {count > 1 && <span className="faint">{`${count} times`}</span>}
              </span>
            ),
          },
          { title: 'Actor', cell: ({ actor, ip }) => <Who actor={actor} ip={ip} /> },
          {
            title: 'Target',
            cell: ({ resource: { type, id } }) => (
              <span className="row">
                {spaced(type)} {id && <Id id={id} copy={false} />}
              </span>
            ),
          },
          {
            title: 'Changed',
            cell: ({ changed }) =>
              changed.length === 0 ? <span className="faint none">–</span> : <code>{changed.join(', ')}</code>,
          },
          { title: 'Time', cell: ({ at }) => <Time at={at} /> },
        ]}
        empty={
          isNarrowed ? (
            <Empty icon="log" title="No matching entries" action={<Button onClick={clear}>Show all</Button>}>
              {lines.next && 'Older entries have not been searched yet.'}
            </Empty>
          ) : (
            <Empty icon="log" title="No entries yet">
              Every change is recorded here, including refused attempts.
            </Empty>
          )
        }
      />
    </SettingsPage>
  )
}

interface WhoProps {
  actor: { type: 'user' | 'apiKey' | 'server'; id: string }
  ip: string | null
}

function Who({ actor, ip }: WhoProps) {
  return (
    <span className="audit-who">
      <span>{actor.type === 'server' ? 'the server' : <Author by={actor} />}</span>
      {ip && <span className="faint audit-ip">{ip}</span>}
    </span>
  )
}
