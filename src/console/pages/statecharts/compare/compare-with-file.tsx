/** Compares the statechart of a kind with a file that another version of the server exported. */
import { Suspense, useId, useState } from 'react'
import type { FullMachine } from '../../../charts/use-machine.ts'
import { lazyPart } from '../../../lazy-part.ts'
import { Loading } from '../../../ui/states.tsx'
import { exportedMax, type Read, readExported } from './exported.ts'

const ComparedChart = lazyPart(() => import('../../../charts/compared/compared-chart.tsx'))

async function readFile(file: File, kind: string): Promise<Read> {
  if (file.size > exportedMax) return { fault: 'The file is too large for a statechart.' }
  return readExported(await file.text(), kind)
}

export function CompareWithFile({ machine }: { machine: FullMachine }) {
  const id = useId()
  const [read, setRead] = useState<Read>()
  return (
    <div className="stack">
      <p>
        Compare with the same statechart of another version of the server: download it there as JSON, and choose the
        file here.
      </p>
      <p className="row">
        <label htmlFor={id}>Earlier statechart</label>
        <input
          id={id}
          type="file"
          accept="application/json,.json"
          onChange={({ target: { files } }) => {
            const [file] = files ?? []
            if (!file) return setRead(undefined)
            void readFile(file, machine.kind).then(setRead, () => setRead({ fault: 'The file could not be read.' }))
          }}
        />
      </p>
      {read && 'fault' in read && (
        <div className="banner banner-bad" role="alert">
          {read.fault}
        </div>
      )}
      {read && 'machine' in read && (
        <Suspense fallback={<Loading />}>
          <ComparedChart
            before={read.machine}
            after={machine}
            whenSame={`The file has the same statechart, version ${read.machine.version}.`}
            height={440}
          />
        </Suspense>
      )}
    </div>
  )
}
