/** The form of an alert rule. */
import { useState } from 'react'
import type { AlertRule } from '../../../automation/alerts/schema.ts'
import { useProjectChoices } from '../../data/choices.ts'
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { CheckField, Form, type FormProps, SelectField, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'

type Condition = AlertRule['condition']
type Type = Condition['type']

const types: [Type, string][] = [
  ['failing', 'Runs fail'],
  ['stuck', 'Runs are stuck'],
  ['waiting', 'Runs or approvals wait for a person'],
  ['undelivered', 'Webhook deliveries become dead letters'],
  ['budget', 'The minutes are nearly used'],
]

/** The fields of a rule that can be changed later. */
export type RuleFields = Pick<AlertRule, 'name' | 'condition' | 'holdMinutes' | 'resolveAfterMinutes' | 'notify'>

interface RuleFormProps {
  action: FormProps['action']
  submit: string
  given?: RuleFields
  /** The Environment is chosen for a new rule only. */
  onSubmit: (fields: RuleFields, environmentId: string | null) => unknown
}

export function RuleForm({ action, submit, given, onSubmit }: RuleFormProps) {
  const [type, setType] = useState<Type>(given?.condition.type ?? 'failing')
  const condition = given?.condition
  const minutes = condition && 'withinMinutes' in condition ? condition.withinMinutes : undefined
  const longer = condition && 'forMinutes' in condition ? condition.forMinutes : undefined
  const isWithin = type === 'failing' || type === 'undelivered'
  return (
    <Form
      action={action}
      submit={submit}
      onSubmit={(text, data) => {
        const number = (name: string) => Number(text(name))
        const counted = { count: number('count') }
        const condition: Condition =
          type === 'budget'
            ? { type, percent: number('percent') }
            : type === 'failing' || type === 'undelivered'
              ? { type, ...counted, withinMinutes: number('minutes') }
              : { type, ...counted, forMinutes: number('minutes') }
        const fields = {
          name: text('name'),
          condition,
          holdMinutes: number('holdMinutes'),
          resolveAfterMinutes: number('resolveAfterMinutes'),
          notify: { webhooks: data.has('webhooks'), mail: data.has('mail') },
        }
        return onSubmit(fields, text('environmentId') || null)
      }}
    >
      <TextField name="name" label="Name" required maxLength={200} defaultValue={given?.name} placeholder="Runs fail" />
      <SelectField
        name="condition"
        label="Condition"
        value={type}
        onChange={({ target }) => setType(types.find(([each]) => each === target.value)?.[0] ?? 'failing')}
      >
        <Options of={types} />
      </SelectField>
      {given === undefined && type !== 'budget' && <Where />}
      {type === 'budget' ? (
        <TextField
          name="percent"
          label="Threshold, in percent"
          type="number"
          min={1}
          max={100}
          required
          defaultValue={condition?.type === 'budget' ? condition.percent : 80}
        />
      ) : (
        <div className="fields-beside">
          <TextField
            name="count"
            label="Minimum number"
            type="number"
            min={1}
            max={1000}
            required
            defaultValue={condition && 'count' in condition ? condition.count : isWithin ? 5 : 1}
          />
          <TextField
            key={String(isWithin)}
            name="minutes"
            label={isWithin ? 'Within, in minutes' : 'For, in minutes'}
            type="number"
            min={1}
            max={10080}
            required
            defaultValue={isWithin ? (minutes ?? 15) : (longer ?? 30)}
          />
        </div>
      )}
      <div className="fields-beside">
        <TextField
          name="holdMinutes"
          label="Fire after, in minutes"
          type="number"
          min={0}
          max={1440}
          required
          defaultValue={given?.holdMinutes ?? 0}
          hint="How long the condition must hold before the rule fires."
        />
        <TextField
          name="resolveAfterMinutes"
          label="Resolve after, in minutes"
          type="number"
          min={0}
          max={1440}
          required
          defaultValue={given?.resolveAfterMinutes ?? 5}
          hint="If the condition holds again within this time, the alert continues."
        />
      </div>
      <CheckField
        name="webhooks"
        label="Notify webhooks"
        hint="Webhooks that subscribe to alert.firing and alert.resolved."
        defaultChecked={given?.notify.webhooks ?? true}
      />
      <CheckField name="mail" label="Email owners and admins" defaultChecked={given?.notify.mail ?? false} />
    </Form>
  )
}

/** The scope: the whole organization, or one Environment. */
function Where() {
  const api = useApi()
  const [projectId, setProjectId] = useState('')
  const projects = useProjectChoices()
  const environments = useResource(projectId ? ['environments', projectId] : null, (options) =>
    api.v1.projects({ projectId }).environments.get({ ...options, query: { limit: 10 } }),
  )
  return (
    <div className="fields-beside">
      <SelectField
        name="projectId"
        label="Project"
        value={projectId}
        onChange={({ target }) => setProjectId(target.value)}
      >
        <option value="">Whole organization</option>
        {projects.value?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {projectId !== '' && (
        <SelectField name="environmentId" label="Environment" required>
          {environments.value?.items.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  )
}
