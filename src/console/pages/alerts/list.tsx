/** Alert rules, and the form for a new one. */
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { at, organizationOf } from '../../places.ts'
import { inboxKey } from '../../shell/inbox-count.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { NewButton } from '../../ui/forms/button.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useOpened } from '../../use-opened.ts'
import { usePlace } from '../../use-place.ts'
import { alertTones } from './alert.tsx'
import { type RuleFields, RuleForm } from './rule-form.tsx'
import { Watched } from './watched.tsx'

const refreshMs = 15_000

export default function AlertsPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const [creating, setCreating] = useOpened('new')
  const rules = usePages(
    ['alerts', 'list'],
    (options, page) => api.v1['alert-rules'].get({ ...options, query: page }),
    {
      every: refreshMs,
    },
  )
  const create = useAction(
    (fields: RuleFields, environmentId: string | null) => api.v1['alert-rules'].post({ ...fields, environmentId }),
    { success: 'Alert rule created', changes: [['alerts'], inboxKey], done: () => setCreating(false), quiet: true },
  )
  const begin = <NewButton onClick={() => setCreating(true)}>New alert rule</NewButton>
  return (
    <Page
      title="Alerts"
      about="Rules that watch runs, deliveries and the budget, and notify webhooks or people when they fire."
      actions={begin}
    >
      <DataTable
        label="alert rules"
        pages={rules}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'alerts', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'State', cell: ({ state }) => <StateBadge state={state} tone={alertTones[state]} /> },
          { title: 'Condition', cell: ({ summary }) => summary },
          {
            title: 'Scope',
            cell: (rule) => <Watched rule={rule} />,
          },
          {
            title: 'Notifies',
            cell: ({ notify }) =>
              [notify.webhooks && 'webhooks', notify.mail && 'mail'].filter(Boolean).join(', ') || (
                <span className="faint">none</span>
              ),
          },
          { title: 'Firing since', cell: ({ firingSince }) => <Time at={firingSince} /> },
        ]}
        empty={
          <Empty icon="bell" title="No alert rules yet" action={begin}>
            A rule notifies you when runs fail, are stuck or wait, when deliveries become dead letters, or when the
            minutes are nearly used.
          </Empty>
        }
      />
      <Dialog title="New alert rule" open={creating} onClose={() => setCreating(false)}>
        <RuleForm action={create} submit="Create rule" onSubmit={create.run} />
      </Dialog>
    </Page>
  )
}
