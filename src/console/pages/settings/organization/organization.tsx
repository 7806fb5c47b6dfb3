/** Organization settings: name, slug, deletion. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { DeletionProgress } from '../../../../tenancy/deletions/progress.ts'
import { useAction } from '../../../data/action.ts'
import { changedFields } from '../../../data/changed-fields.ts'
import { useApi } from '../../../data/context.ts'
import { useInterval, useResource } from '../../../data/resource.ts'
import { at } from '../../../places.ts'
import { useSession } from '../../../session/session.ts'
import { StateBadge, Tag } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { Removal, removalLookMs } from '../../../ui/removal.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { NewOrganization } from './new-organization.tsx'
import '../settings.css'
import { SettingsPage } from '../settings-page.tsx'
import { useOrganization } from './use-organization.ts'

interface Organization {
  id: string
  name: string
  slug: string
  kind: 'team' | 'personal'
  status: 'active' | 'deleting'
  deletion?: DeletionProgress
  createdAt: string
}

export default function OrganizationPage() {
  const api = useApi()
  const own = useOrganization()
  const [creating, setCreating] = useState(false)
  const organization = useResource(['organization'], (options) =>
    api.v1.organizations({ organizationIdOrSlug: own.id }).get(options),
  )
  const begin = (
    <Button icon="plus" onClick={() => setCreating(true)}>
      New organization
    </Button>
  )
  return (
    <SettingsPage title="Organization" about="Name, address and deletion." actions={begin}>
      <Shown resource={organization}>
        {(value) => (
          <>
            <Facts
              facts={[
                ['Status', <StateBadge key="status" state={value.status} />],
                ['Kind', value.kind],
                ['Role', <Tag key="role">{own.role}</Tag>],
                ['ID', <Id key="id" id={value.id} />],
                ['Created', <AbsoluteTime key="created" at={value.createdAt} />],
              ]}
            />
            {value.status === 'deleting' ? (
              <Going deletion={value.deletion} refresh={organization.refresh} />
            ) : (
              <>
                {own.role === 'member' ? (
                  <p className="faint">
                    Only owners and admins can edit it, and only owners can delete it. To leave, see Account.
                  </p>
                ) : (
                  <NameAndSlug organization={value} />
                )}
                {own.role === 'owner' && <End organization={value} />}
              </>
            )}
          </>
        )}
      </Shown>
      {creating && <NewOrganization onClose={() => setCreating(false)} />}
    </SettingsPage>
  )
}

function NameAndSlug({ organization: { id, name, slug } }: { organization: Organization }) {
  const api = useApi()
  const { refresh } = useSession()
  const [, navigate] = useLocation()
  const change = useAction(
    (body: { name?: string; slug?: string }) => api.v1.organizations({ organizationIdOrSlug: id }).patch(body),
    {
      success: 'Saved',
      changes: [['organization']],
      quiet: true,
      renews: async (changed) => {
        // by id, because the session does not know the new slug yet; the old addresses work no longer
        if (changed.slug !== slug) navigate(at({ organization: id }, 'settings'), { replace: true })
        await refresh()
        if (changed.slug !== slug) navigate(at({ organization: changed.slug }, 'settings'), { replace: true })
      },
    },
  )
  return (
    <Section title="Name">
      <div className="panel panel-narrow">
        <Form
          // a new slug shows the page anew, under its address
          key={`${name} ${slug}`}
          action={change}
          submit="Save"
          onSubmit={(text) => change.run(changedFields({ name, slug }, { name: text('name'), slug: text('slug') }))}
        >
          <TextField name="name" label="Name" required defaultValue={name} maxLength={200} />
          <TextField
            name="slug"
            label="Slug"
            required
            defaultValue={slug}
            hint="Part of addresses. After a change old addresses stop working, and the old slug becomes available to others."
          />
        </Form>
      </div>
    </Section>
  )
}

function End({ organization: { id, name, kind } }: { organization: Organization }) {
  const api = useApi()
  return (
    <Section title="Delete">
      <div className="panel panel-narrow panel-danger">
        {kind === 'personal' ? (
          <p>A personal organization cannot be deleted.</p>
        ) : (
          <>
            <p>
              All Projects with their Agents, runs and events, all keys and credentials, and the audit log are deleted.
              Runs are ended first. A paid subscription must be canceled before: see Billing.
            </p>
            <div>
              <ConfirmAction
                question={`Delete ${name}?`}
                consequence="Everything that the organization owns is deleted, for all members. This cannot be undone."
                typed={name}
                confirm="Delete permanently"
                act={() => api.v1.organizations({ organizationIdOrSlug: id }).delete()}
                options={{ success: 'Deletion started', changes: [['organization']] }}
              >
                Delete organization
              </ConfirmAction>
            </div>
          </>
        )}
      </div>
    </Section>
  )
}

function Going({ deletion, refresh }: { deletion: DeletionProgress | undefined; refresh: () => Promise<void> }) {
  const session = useSession()
  useInterval(['organization'], removalLookMs, async () => {
    await refresh()
    await session.refresh()
  })
  return (
    <div className="panel panel-danger">
      <Removal deletion={deletion} what="The organization" />
    </div>
  )
}
