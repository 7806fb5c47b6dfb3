/** One alert rule: state, history and actions. */
import { useState } from 'react'
import { Link } from 'wouter'
import type { AlertRule, AlertRuleNow } from '../../../automation/alerts/schema.ts'
import { useAction } from '../../data/action.ts'
import { changedFields } from '../../data/changed-fields.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { useResource } from '../../data/resource.ts'
import { actorAt, at, organizationOf } from '../../places.ts'
import { ProjectOfPage } from '../../session/permissions.ts'
import { inboxKey } from '../../shell/inbox-count.tsx'
import { StateBadge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmAction } from '../../ui/forms/confirm-action.tsx'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Facts, Page, Section } from '../../ui/page.tsx'
import { Empty, Shown } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useIds, usePlace } from '../../use-place.ts'
import { type RuleFields, RuleForm } from './rule-form.tsx'
import { Watched } from './watched.tsx'

/** `firing` is a state of jobs too, and busy there. */
export const alertTones: Record<AlertRule['state'], Tone> = {
  ok: 'good',
  pending: 'waiting',
  firing: 'bad',
  cooling: 'waiting',
  disabled: 'idle',
}

const refreshMs = 10_000

export default function AlertPage() {
  const api = useApi()
  const { alertRuleId } = useIds('alertRuleId')
  const rule = useResource(['alerts', alertRuleId], (options) => api.v1['alert-rules']({ alertRuleId }).get(options), {
    every: refreshMs,
  })
  return (
    <Shown resource={rule}>
      {(rule) => (
        <ProjectOfPage.Provider value={rule.projectId}>
          <One rule={rule} />
        </ProjectOfPage.Provider>
      )}
    </Shown>
  )
}

function One({ rule }: { rule: AlertRuleNow }) {
  const api = useApi()
  const place = organizationOf(usePlace())
  // as it was when the form was opened
  const [edited, setEdited] = useState<RuleFields>()
  const { id: alertRuleId, name, state, summary, enabled, now, threshold, projectId, environmentId } = rule
  const path = api.v1['alert-rules']({ alertRuleId })
  const changes = [['alerts'], inboxKey]
  const change = useAction((fields: Partial<RuleFields>) => path.patch(fields), {
    success: 'Alert rule updated',
    changes,
    done: () => setEdited(undefined),
    quiet: true,
  })
  const enable = useAction((enabled: boolean) => path.patch({ enabled }), {
    success: ({ enabled }) => (enabled ? 'Alert rule enabled' : 'Alert rule disabled'),
    changes,
  })
  const test = useAction(() => path.test.post(), {
    success: ({ webhooks, mail }) =>
      webhooks || mail
        ? `Test sent to ${[webhooks && 'webhooks', mail && 'owners and admins'].filter(Boolean).join(' and ')}`
        : 'This rule notifies neither webhooks nor people',
  })
  const here = projectId && environmentId ? { ...place, projectId, environmentId } : undefined
  return (
    <Page
      title={name}
      badge={<StateBadge state={state} tone={alertTones[state]} />}
      about={`${summary}.`}
      up={{ title: 'Alerts', href: at(place, 'alerts') }}
      actions={
        <>
          <Button needs="alerts:manage" icon="bolt" pending={test.pending} onClick={() => test.run()}>
            Send a test
          </Button>
          <Button needs="alerts:manage" icon="settings" onClick={() => setEdited(rule)}>
            Edit
          </Button>
          <Button needs="alerts:manage" pending={enable.pending} onClick={() => enable.run(!enabled)}>
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <ConfirmAction
            needs="alerts:manage"
            question="Delete this alert rule?"
            consequence={<p>The rule stops, and its history is deleted.</p>}
            confirm="Delete rule"
            act={() => path.delete()}
            options={{ success: 'Alert rule deleted', changes, opens: () => at(place, 'alerts') }}
          >
            Delete
          </ConfirmAction>
        </>
      }
    >
      <Facts
        facts={[
          ['ID', <Id key="id" id={alertRuleId} />],
          ['Current value', `${Math.floor(now.value)} of ${threshold}${now.isBreached ? ', condition met' : ''}`],
          [
            'Scope',
            here ? (
              <Link key="where" href={at(here)}>
                <Watched rule={rule} />
              </Link>
            ) : (
              <Watched key="where" rule={rule} />
            ),
          ],
          ['Fires after', `${rule.holdMinutes} min`],
          ['Resolves after', `${rule.resolveAfterMinutes} min`],
          ['Firing since', <Time key="since" at={rule.firingSince} />],
          [
            'Statechart',
            <Link key="chart" href={actorAt(place, 'alert', alertRuleId)}>
              View
            </Link>,
          ],
        ]}
      />
      <Section title="History">
        <Incidents alertRuleId={alertRuleId} />
      </Section>
      {edited && (
        <Dialog title="Edit alert rule" open onClose={() => setEdited(undefined)}>
          <RuleForm
            action={change}
            submit="Save"
            given={edited}
            onSubmit={(fields) => change.run(changedFields(edited, fields))}
          />
        </Dialog>
      )}
    </Page>
  )
}

const resolutions = { cleared: 'condition cleared', changed: 'rule changed', disabled: 'rule disabled' }

function Incidents({ alertRuleId }: { alertRuleId: string }) {
  const api = useApi()
  const incidents = usePages(
    ['alerts', alertRuleId, 'incidents'],
    (options, page) => api.v1['alert-rules']({ alertRuleId }).incidents.get({ ...options, query: page }),
    { limit: 20, every: refreshMs },
  )
  return (
    <DataTable
      label="alert history"
      pages={incidents}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Fired', cell: ({ firedAt }) => <Time at={firedAt} /> },
        { title: 'Value', align: 'end', cell: ({ value }) => Math.floor(value) },
        { title: 'Resolved', cell: ({ resolvedAt }) => <Time at={resolvedAt} /> },
        {
          title: 'Reason',
          cell: ({ resolution }) => (resolution ? resolutions[resolution] : <span className="faint">firing</span>),
        },
      ]}
      empty={
        <Empty icon="bell" title="Not fired yet">
          The last hundred alerts of this rule appear here.
        </Empty>
      }
    />
  )
}
