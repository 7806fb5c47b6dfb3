/** One runner pool: scope, tokens, deletion. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { changedFields } from '../../../data/changed-fields.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { at, organizationOf } from '../../../places.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, TextField } from '../../../ui/forms/form.tsx'
import { Facts } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Id } from '../../../ui/text/code.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { SettingsPage } from '../settings-page.tsx'
import { ExclusiveField, scopeOf } from './runner-pools.tsx'
import { RunnerTokens } from './runner-tokens.tsx'

interface Pool {
  id: string
  name: string
  scope: 'organization' | 'deployment'
  exclusive: boolean
}

export default function RunnerPoolPage() {
  const api = useApi()
  const place = organizationOf(usePlace())
  const { poolId } = useIds('poolId')
  const [changing, setChanging] = useState(false)
  const pool = useResource(['runner-pools', poolId], (options) => api.v1['runner-pools']({ poolId }).get(options))
  const { value } = pool
  return (
    <SettingsPage
      title={value?.name ?? 'Runner pool'}
      up={{ title: 'Runner pools', href: at(place, 'settings', 'runners') }}
      actions={
        value && (
          <>
            <Button needs="organizations:update" onClick={() => setChanging(true)}>
              Edit
            </Button>
            <Delete pool={value} />
          </>
        )
      }
    >
      <Shown resource={pool}>
        {(value) => (
          <>
            <Facts
              facts={[
                ['ID', <Id key="id" id={value.id} />],
                ['Runs of', scopeOf(value)],
                ['Created', <AbsoluteTime key="created" at={value.createdAt} />],
              ]}
            />
            <RunnerTokens poolId={value.id} />
            {changing && <Change pool={value} onClose={() => setChanging(false)} />}
          </>
        )}
      </Shown>
    </SettingsPage>
  )
}

function Change({ pool: { id: poolId, name, scope, exclusive }, onClose }: { pool: Pool; onClose: () => void }) {
  const api = useApi()
  const [given] = useState({ name, exclusive })
  const change = useAction(
    (body: { name?: string; exclusive?: boolean }) => api.v1['runner-pools']({ poolId }).patch(body),
    { success: 'Saved', changes: [['runner-pools']], quiet: true, done: onClose },
  )
  const ofOrganization = scope === 'organization'
  return (
    <Dialog title="Edit pool" open onClose={onClose}>
      <Form
        action={change}
        submit="Save"
        onSubmit={(text, data) => {
          const fields = { name: text('name'), ...(ofOrganization && { exclusive: data.has('exclusive') }) }
          return change.run(changedFields(given, fields))
        }}
      >
        <TextField name="name" label="Name" required maxLength={200} defaultValue={name} />
        {ofOrganization && <ExclusiveField exclusive={exclusive} />}
      </Form>
    </Dialog>
  )
}

function Delete({ pool: { id: poolId, name } }: { pool: Pool }) {
  const api = useApi()
  const place = organizationOf(usePlace())
  return (
    <ConfirmAction
      needs="organizations:update"
      question={`Delete ${name}?`}
      consequence="Its tokens are revoked. Runs leased by its runners return to the queue."
      act={() => api.v1['runner-pools']({ poolId }).delete()}
      options={{
        success: `${name} deleted`,
        changes: [['runner-pools', 'list']],
        opens: () => at(place, 'settings', 'runners'),
      }}
    >
      Delete
    </ConfirmAction>
  )
}
