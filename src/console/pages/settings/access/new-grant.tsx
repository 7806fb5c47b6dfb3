/** Grants a member or a group access to the Project. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, SelectField } from '../../../ui/forms/form.tsx'
import { useIds } from '../../../use-place.ts'
import { invalidField } from '../invalid-field.ts'
import { grantPermissions, isReading, shortened } from './permission-families.ts'
import { PermissionPicker } from './permission-picker.tsx'
import '../settings.css'
import { GroupField, UserField } from './subject-fields.tsx'

const ofRuns = (permission: string) =>
  isReading(permission) || /^agent-runs:(?!steps:|attempts:|checkpoints:)/.test(permission)

export function NewGrant({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const { projectId } = useIds('projectId')
  const [type, setType] = useState<'user' | 'userGroup'>('user')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const create = useAction(
    async (id: string) => {
      if (chosen.size === 0) throw invalidField('permissions', 'Choose at least one permission.')
      const body = { subject: { type, id }, permissions: shortened(chosen, grantPermissions) }
      return api.v1.projects({ projectId })['access-grants'].post(body)
    },
    { success: 'Access granted', changes: [['access-grants', projectId]], quiet: true, done: onClose },
  )
  return (
    <Dialog title="Grant access" open onClose={onClose} shape="wide">
      <Form
        action={create}
        needs="projects:manage-access-grants"
        submit="Grant access"
        onSubmit={(text) => create.run(text('subject/id'))}
      >
        <div className="fields-beside">
          <SelectField
            name="subject/type"
            label="Grant to"
            value={type}
            onChange={({ target }) => setType(target.value as typeof type)}
          >
            <option value="user">a member</option>
            <option value="userGroup">a group</option>
          </SelectField>
          {type === 'user' ? (
            <UserField name="subject/id" label="Member" />
          ) : (
            <GroupField name="subject/id" label="Group" />
          )}
        </div>
        <PermissionPicker
          name="permissions"
          label="Permissions in this Project"
          offered={grantPermissions}
          chosen={chosen}
          onChange={(permissions) => {
            setChosen(permissions)
            create.reset()
          }}
          choices={[
            ['Read', isReading],
            ['Read and runs', ofRuns],
            ['Everything', () => true],
          ]}
        />
      </Form>
    </Dialog>
  )
}
