/** Dialogs that create and edit variables of an Environment. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { whyNoChoice } from '../../../data/describe-failure.ts'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../../ui/forms/form.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { BindingFields, type Bound, boundIn } from '../connections/binding-fields.tsx'
import { useOrganizationVariables } from '../environment-lists.ts'
import '../settings.css'
import {
  DescriptionField,
  namedIn,
  StatusField,
  standingIn,
  ValueField,
  VariableNameField,
  valueIn,
} from './variable-parts.tsx'

export interface Variable extends Bound {
  id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
  sourceVariableId: string | null
  sourceVersion: number | null
}

/** Source of a value. `kept`: unchanged. */
type Origin = 'kept' | 'own' | 'source'

/** Values of the fields below. */
function contentIn(origin: Origin, text: (name: string) => string, data: FormData) {
  if (origin === 'own') return { value: valueIn(data) }
  if (origin === 'kept') return {}
  return { sourceVariableId: text('sourceVariableId'), sourceVersion: Number(text('sourceVersion')) }
}

interface ContentProps {
  origin: Origin
  origins: [Origin, string][]
  onChange: (origin: Origin) => void
}

function ContentFields({ origin, origins, onChange }: ContentProps) {
  return (
    <>
      <SelectField
        name="origin"
        label="Value source"
        value={origin}
        onChange={({ target }) => onChange(target.value as Origin)}
      >
        <Options of={origins} />
      </SelectField>
      {origin === 'own' && <ValueField />}
      {origin === 'source' && <SourceFields />}
    </>
  )
}

function SourceFields() {
  const { value, failure } = useOrganizationVariables()
  const [sourceId, setSourceId] = useState('')
  const newest = value?.find(({ id }) => id === sourceId)?.version
  return (
    <div className="fields-beside">
      {failure ? (
        <TextField
          name="sourceVariableId"
          label="Organization variable"
          required
          placeholder="var_…"
          hint={whyNoChoice(failure, 'variables')}
        />
      ) : (
        <SelectField
          name="sourceVariableId"
          label="Organization variable"
          required
          value={sourceId}
          onChange={({ target }) => setSourceId(target.value)}
        >
          <option value="">{value?.length === 0 ? 'None yet' : value ? 'Choose…' : 'Loading…'}</option>
          <Options of={value} />
        </SelectField>
      )}
      <TextField
        key={sourceId}
        name="sourceVersion"
        label="Version"
        type="number"
        min={1}
        max={newest}
        required
        defaultValue={newest ?? 1}
        hint={newest ? `The newest is ${newest}. The version stays until you change it.` : undefined}
      />
    </div>
  )
}

export function NewVariable({ onClose }: { onClose: () => void }) {
  const { environmentId, environment } = useEnvironment()
  const { variables } = environment
  const [origin, setOrigin] = useState<Origin>('own')
  const create = useAction((body: Parameters<typeof variables.post>[0]) => variables.post(body), {
    success: ({ name }) => `${name} created`,
    changes: [['variables', environmentId]],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="New variable" open onClose={onClose}>
      <Form
        action={create}
        submit="Create variable"
        onSubmit={(text, data) => {
          const { agentId, bindingKey } = boundIn(text)
          return create.run({
            ...namedIn(text),
            ...contentIn(origin, text, data),
            ...(agentId !== null && bindingKey !== null && { agentId, bindingKey }),
          })
        }}
      >
        <VariableNameField />
        <ContentFields
          origin={origin}
          origins={[
            ['own', 'new value'],
            ['source', 'an organization variable'],
          ]}
          onChange={setOrigin}
        />
        <BindingFields none="all Agents" />
        <DescriptionField />
      </Form>
    </Dialog>
  )
}

export function EditVariable({ variable, onClose }: { variable: Variable; onClose: () => void }) {
  const { environmentId, environment } = useEnvironment()
  const one = environment.variables({ variableId: variable.id })
  const [origin, setOrigin] = useState<Origin>('kept')
  const change = useAction((body: Parameters<typeof one.patch>[0]) => one.patch(body), {
    success: ({ version }) => (origin === 'kept' ? 'Saved' : `Version ${version} is now current`),
    changes: [['variables', environmentId]],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title={variable.name} open onClose={onClose}>
      <Form
        action={change}
        submit="Save"
        onSubmit={(text, data) =>
          change.run({
            ...contentIn(origin, text, data),
            ...boundIn(text),
            ...standingIn(text),
          })
        }
      >
        <ContentFields
          origin={origin}
          origins={[
            ['kept', 'keep current'],
            ['own', 'new value'],
            ['source', 'an organization variable'],
          ]}
          onChange={setOrigin}
        />
        <BindingFields bound={variable} none="all Agents" />
        <DescriptionField description={variable.description} />
        <StatusField status={variable.status} />
      </Form>
    </Dialog>
  )
}
