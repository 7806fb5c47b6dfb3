/** Dialogs that create and edit variables of the organization. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form } from '../../../ui/forms/form.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'
import type { OrganizationVariable } from './organization-variable.ts'
import {
  DescriptionField,
  NewValueFields,
  namedIn,
  StatusField,
  standingIn,
  ValueField,
  VariableNameField,
  valueIn,
} from './variable-parts.tsx'

export function NewOrganizationVariable({ onClose }: { onClose: () => void }) {
  const api = useApi()
  const variables = api.v1.organizations(useOrganizationPath()).variables
  const create = useAction((body: Parameters<typeof variables.post>[0]) => variables.post(body), {
    success: ({ name }) => `${name} created`,
    changes: [['organization-variables']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="New variable" open onClose={onClose}>
      <Form
        action={create}
        submit="Create variable"
        onSubmit={(text, data) => create.run({ ...namedIn(text), value: valueIn(data) })}
      >
        <VariableNameField />
        <ValueField />
        <DescriptionField />
      </Form>
    </Dialog>
  )
}

interface EditProps {
  variable: OrganizationVariable
  onClose: () => void
}

export function EditOrganizationVariable({ variable: { id, name, description, status }, onClose }: EditProps) {
  const api = useApi()
  const variable = api.v1.organizations(useOrganizationPath()).variables({ variableId: id })
  const [withValue, setWithValue] = useState(false)
  const change = useAction((body: Parameters<typeof variable.patch>[0]) => variable.patch(body), {
    success: ({ version }) => (withValue ? `Version ${version} is now current` : 'Saved'),
    changes: [['organization-variables']],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title={name} open onClose={onClose}>
      <Form
        action={change}
        submit="Save"
        onSubmit={(text, data) => change.run({ ...standingIn(text), ...(withValue && { value: valueIn(data) }) })}
      >
        <NewValueFields chosen={withValue} onChange={setWithValue} />
        {withValue && (
          <p className="faint">The value becomes a new version. Variables that use an earlier version keep it.</p>
        )}
        <DescriptionField description={description} />
        <StatusField status={status} />
      </Form>
    </Dialog>
  )
}
