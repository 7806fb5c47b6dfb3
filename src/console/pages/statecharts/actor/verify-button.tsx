/** Replays an actor's journal through its statechart, on the server, and shows whether it leads to the stored state. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Notice } from '../../../ui/states.tsx'

interface Verification {
  valid: boolean
  storedState: string
  replayedState: string | null
  problem: string | null
}

export function VerifyButton({ kind, id }: { kind: string; id: string }) {
  const api = useApi()
  const [result, setResult] = useState<Verification>()
  const verify = useAction(() => api.v1.actors({ kind })({ id }).verify.get(), {
    done: (value) => setResult(value as Verification),
  })
  return (
    <>
      <Button icon="approve" pending={verify.pending} onClick={() => void verify.run()}>
        Verify
      </Button>
      <Dialog title="Verification" open={result !== undefined} onClose={() => setResult(undefined)}>
        {result && <Outcome result={result} />}
      </Dialog>
    </>
  )
}

function Outcome({ result: { valid, storedState, replayedState, problem } }: { result: Verification }) {
  if (valid) {
    return (
      <Notice icon="check" title="Journal verified">
        <p>
          The journal is complete, each entry is a transition of the statechart, and the last one leads to the stored
          state, <strong>{storedState}</strong>.
        </p>
      </Notice>
    )
  }
  return (
    <Notice icon="warning" title="Journal verification failed" urgent>
      <p>{problem}</p>
      <p>
        Stored: <strong>{storedState}</strong>. Replayed: <strong>{replayedState ?? 'nothing'}</strong>.
      </p>
    </Notice>
  )
}
