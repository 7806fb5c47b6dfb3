/** Form of a webhook: endpoint and event types. */
import { useState } from 'react'
import type { EventKind } from '../../../events/kinds/kinds.ts'
import type { Action } from '../../data/action.ts'
import { CheckField, Form, TextField } from '../../ui/forms/form.tsx'
import { KindChoices } from './kind-choices.tsx'

export interface WebhookFields {
  endpointUrl: string
  eventTypes: EventKind[]
  captureResponses: boolean
}

interface WebhookFormProps {
  action: Pick<Action<never, unknown>, 'pending' | 'failure' | 'issues'>
  submit: string
  given?: WebhookFields
  onSubmit: (fields: WebhookFields) => unknown
}

const begin: EventKind[] = ['run.completed', 'run.failed', 'activation.changed']

export function WebhookForm({ action, submit, given, onSubmit }: WebhookFormProps) {
  const [eventTypes, setEventTypes] = useState(given?.eventTypes ?? begin)
  const ofKinds = ({ path }: { path: string }) => path.startsWith('/body/eventTypes')
  const issues = action.issues.filter(ofKinds).map(({ message }) => message)
  return (
    <Form
      action={action}
      submit={submit}
      onSubmit={(text, data) =>
        onSubmit({ endpointUrl: text('endpointUrl'), eventTypes, captureResponses: data.has('captureResponses') })
      }
    >
      <TextField
        name="endpointUrl"
        label="Endpoint URL"
        hint="An https address that accepts POST requests, without user name, password and fragment."
        type="url"
        required
        placeholder="https://example.com/hooks/troupe"
        defaultValue={given?.endpointUrl}
      />
      {/* issues of the field appear under this name */}
      <input type="hidden" name="eventTypes" />
      <KindChoices chosen={eventTypes} onChoose={setEventTypes} issues={issues} />
      <CheckField
        name="captureResponses"
        label="Capture failed responses"
        hint="Keeps the first KiB of each failed response. It is visible to everyone who can read deliveries."
        defaultChecked={given?.captureResponses ?? false}
      />
    </Form>
  )
}
