/** The servers that share the store, and the slots of background work that each holds. */
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { StateBadge, Tag } from '../../../ui/badge.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { Time } from '../../../ui/time.tsx'
import { SettingsPage } from '../settings-page.tsx'

/** A larger clock skew is shown as a problem. */
const skewMsMax = 1_000

/** `0–15, 20`, in ascending order. */
export function rangesOf(slots: readonly number[]): string {
  const ranges: [first: number, last: number][] = []
  for (const slot of slots) {
    const open = ranges.at(-1)
    if (open && open[1] === slot - 1) open[1] = slot
    else ranges.push([slot, slot])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`)).join(', ')
}

export default function ServersPage() {
  const api = useApi()
  const servers = usePages(['processes'], (options, page) => api.v1.processes.get({ ...options, query: page }))
  return (
    <SettingsPage
      title="Servers"
      about="Servers that share this store. Background work is spread over 64 slots; the slots of a server that stops responding move to the others within 15 seconds."
      failure={servers.failure}
    >
      <DataTable
        label="servers"
        pages={servers}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Server',
            cell: ({ id, answering }) => (
              <span className="row">
                <Id id={id} /> {answering && <Tag>this server</Tag>}
              </span>
            ),
          },
          { title: 'Version', cell: ({ version }) => version },
          { title: 'Started', cell: ({ startedAt }) => <Time at={startedAt} /> },
          { title: 'Last seen', cell: ({ seenAt }) => <Time at={seenAt} /> },
          { title: 'Clock skew', cell: ({ clockSkewMs }) => <Skew ms={clockSkewMs} /> },
          {
            title: 'Slots',
            cell: ({ slots }) => (
              <span title={rangesOf(slots)}>{slots.length === 0 ? 'none' : `${slots.length} of 64`}</span>
            ),
          },
        ]}
        empty={<Empty icon="settings" title="No servers" />}
      />
    </SettingsPage>
  )
}

const Skew = ({ ms }: { ms: number }) =>
  Math.abs(ms) > skewMsMax ? (
    <span className="row">
      <StateBadge state="skewed" tone="bad" /> {`${(ms / 1_000).toFixed(1)} s`}
    </span>
  ) : (
    <span>{`${ms} ms`}</span>
  )
