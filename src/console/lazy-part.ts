/** Parts of pages whose code loads when they are first shown. */
import { type ComponentType, lazy } from 'react'
import { NotLoaded } from './ui/states.tsx'

/**
 * Like `lazy`. Where the code cannot be loaded, such as after an update of the server, `otherwise` takes the part's
 * place, and the rest of the page stays.
 */
export const lazyPart = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  otherwise: ComponentType = NotLoaded,
) => lazy(() => load().catch(() => ({ default: otherwise as ComponentType<Props> })))
