/** Form that recovers failed deliveries and missed events. */
import type { NewRecovery } from '../../../events/webhooks/recoveries/schema.ts'
import { useAction } from '../../data/action.ts'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Form, SelectField, TextField } from '../../ui/forms/form.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { dayMs, instantOf, localOf } from '../../ui/instants.ts'
import { useEnvironment } from '../../use-environment.ts'

const choices = {
  both: 'Failed deliveries and missed events',
  'dead-letter': 'Failed deliveries only',
  missed: 'Missed events only',
}

/** Without `states` both are recovered. */
const statesOf = (choice: string): NewRecovery['states'] =>
  choice === 'dead-letter' || choice === 'missed' ? [choice] : undefined

export function RecoverDialog({ webhookId, onClose }: { webhookId: string; onClose: () => void }) {
  const { environmentId, environment } = useEnvironment()
  const recover = useAction((body: NewRecovery) => environment.webhooks({ webhookId }).recover.post(body), {
    success: 'Recovery started',
    changes: [['webhooks', environmentId, webhookId]],
    quiet: true,
    done: onClose,
  })
  return (
    <Dialog title="Recover deliveries" open onClose={onClose}>
      <Form
        action={recover}
        submit="Recover"
        onSubmit={(text) => {
          const states = statesOf(text('states'))
          return recover.run({ since: instantOf(text('since')) ?? '', ...(states && { states }) })
        }}
      >
        <p>
          Use this after an outage of the endpoint. Deliveries are queued in the background; the receiver may get an
          event twice.
        </p>
        <TextField
          name="since"
          label="Events since"
          type="datetime-local"
          required
          defaultValue={localOf(Date.now() - dayMs)}
          hint="In your time zone. Events that have expired are not recovered."
        />
        <SelectField
          name="states"
          label="Recover"
          hint="Failed: all attempts failed. Missed: created while the webhook was disabled."
        >
          <Options of={Object.entries(choices)} />
        </SelectField>
      </Form>
    </Dialog>
  )
}
