/** The open dialog of a page, in its address: `?open=new`. Links can open it, and reloading keeps it. */
import { useState } from 'react'
import { useAddressQuery } from './address-query.ts'
import { useAtOnce } from './use-at-once.ts'

type Opened = [isOpen: boolean, setOpen: (open: boolean) => void]

/** Opening replaces the history entry, so that Back leaves the page. */
export function useOpened(name: string): Opened {
  const { values, change } = useAddressQuery('open')
  const [isOpen, show] = useAtOnce(values.open === name)
  return [
    isOpen,
    (open) => {
      show(open)
      change({ open: open ? name : '' })
    },
  ]
}

/** The same; without a name it is not in the address. */
export function useMaybeOpened(name: string | undefined): Opened {
  const inAddress = useOpened(name ?? '')
  const own = useState(false)
  return name === undefined ? own : inAddress
}

/** `/o/acme/projects` → `/o/acme/projects?open=new` */
export const opened = (address: string, name: string): string => `${address}?open=${name}`
