/** Copies a run as an address, as its id, or as requests. */
import type { PresentedRun } from '../../../../../runs/present.ts'
import { useAccess } from '../../../../data/context.ts'
import { compareAt, runAt } from '../../../../places.ts'
import { Menu } from '../../../../ui/menu/menu.tsx'
import { useToasts } from '../../../../ui/toasts.tsx'
import { usePlace } from '../../../../use-place.ts'
import { readByCurl, startByCurl, startBySdk } from './requests.ts'

export function CopyMenu({ run, query }: { run: PresentedRun; query: string | null }) {
  const place = usePlace()
  const { origin } = useAccess()
  const { say } = useToasts()
  const copy = (title: string, text: string) => ({
    title,
    onChoose: () => {
      navigator.clipboard.writeText(text).then(
        () => say({ tone: 'good', title: 'Copied' }),
        () => say({ tone: 'bad', title: 'The browser did not allow copying', text }),
      )
    },
  })
  const server = origin || location.origin
  const question = query ?? 'Your question'
  return (
    <Menu
      label="Copy"
      icon="copy"
      items={[
        copy('Address', location.origin + runAt(place, run.id)),
        copy('Run ID', run.id),
        { ...copy('curl', readByCurl(server, run.id)), note: 'reads it with its output' },
        { ...copy('curl, to start it again', startByCurl(server, run, question)), note: 'with its first message' },
        { ...copy('SDK', startBySdk(server, run, question)), note: 'TypeScript that starts it again' },
        copy('Address to compare', location.origin + compareAt(place, run.id)),
      ]}
    />
  )
}
