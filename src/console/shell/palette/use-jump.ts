/** The destination of an id in the text: from its prefix alone, or from the server. */
import { useApi } from '../../data/context.ts'
import { useResource } from '../../data/resource.ts'
import { useSettled } from '../../data/use-settled.ts'
import type { Place } from '../../places.ts'
import type { Link } from './commands.ts'
import { foundAt, idIn, knownAt, placelessWords, wordsOfKind } from './found-at.ts'

/** Delay after the last key; a pasted id needs none. */
const pauseMs = 120

interface Jump {
  link: Link | undefined
  looking: boolean
  /** Why the id has no destination: it does not exist, may not be read, or has no page. */
  missing: string | undefined
}

export function useJump(place: Place, text: string): Jump {
  const api = useApi()
  const id = idIn(useSettled(text, pauseMs))
  const known = id === undefined ? undefined : knownAt(place, id)
  const placeless = id === undefined ? undefined : placelessWords(id)
  const found = useResource(id === undefined || known || placeless ? null : ['palette', 'id', id], (options) =>
    api.v1.resources({ resourceId: id as string }).get(options),
  )
  const linkTo = (title: string, href: string): Link => ({
    id: `id ${id}`,
    title: `${title} ${id}`,
    icon: 'chevron',
    about: 'Go to',
    href,
  })
  const missing = placeless ? placeless : found.failure && 'Nothing has this ID, or you do not have access to it.'
  const link = known
    ? linkTo(known.title, known.href)
    : found.value && linkTo(wordsOfKind(found.value.kind), foundAt(place, found.value))
  return { link, looking: found.loading, missing }
}
