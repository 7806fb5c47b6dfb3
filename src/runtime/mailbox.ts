/**
 * Mailboxes: commands for one address are processed in order, one batch at a time; addresses do not wait for each
 * other. Commands that arrive while an actor is busy form a batch, a hundred at most, and share a unit of work. A
 * patient command waits briefly for the next command, to share its unit of work.
 */
import { nextTurn } from '../platform/time/next-turn.ts'

/** A batch is decided without a pause; the next one waits until this one is stored. */
const commandsMax = 100
/** A patient command waits for at most two ticks of this timer: between ten and twenty milliseconds. */
const turnMs = 10
/** The time from which a batch is expensive: others go first before the next one of its address. */
const expensiveMs = 2

interface Box<Command> {
  commands: Command[]
  /** Functions that must run while no batch of the address is processed. */
  works: (() => Promise<void>)[]
  /** Whether the commands are due: one of them is not patient, or they have waited long enough. */
  due: boolean
  /** Whether the box is queued for processing, or its batch is being processed. */
  busy: boolean
}

export class Mailboxes<Command> {
  readonly #boxes = new Map<string, Box<Command>>()
  #opened: string[] = []
  /** Addresses that have only patient commands: since the current tick of the timer, and since the previous one. */
  #patient: string[] = []
  #longPatient: string[] = []
  #timing = false

  /** `take` must not throw; it answers each command itself. */
  constructor(private readonly take: (key: string, batch: Command[]) => Promise<void>) {}

  put(key: string, command: Command, patient = false) {
    let box = this.#boxes.get(key)
    if (!box) {
      box = this.#add(key)
      if (patient) this.#await(key)
    }
    box.commands.push(command)
    if (!patient) this.#open(key, box)
  }

  /** Runs the function while no batch of the address is processed. Rejects with the function's error. */
  alone(key: string, work: () => Promise<void>): Promise<void> {
    const box = this.#boxes.get(key) ?? this.#add(key)
    return new Promise((resolve, reject) => {
      box.works.push(() => work().then(resolve, reject))
      if (box.busy) return
      box.busy = true
      void this.#work(key, box)
    })
  }

  /** Makes the patient commands of the address due. */
  hurry(key: string) {
    const box = this.#boxes.get(key)
    if (box && box.commands.length > 0) this.#open(key, box)
  }

  #open(key: string, box: Box<Command>) {
    box.due = true
    if (box.busy) return
    box.busy = true
    this.#opened.push(key)
    if (this.#opened.length === 1) setImmediate(this.#workOpened)
  }

  /** Runs at the end of the tick, so that commands sent in it form one batch. */
  readonly #workOpened = () => {
    const opened = this.#opened
    this.#opened = []
    for (const key of opened) void this.#work(key, this.#boxes.get(key) as Box<Command>)
  }

  #add(key: string): Box<Command> {
    const box = { commands: [], works: [], due: false, busy: false }
    this.#boxes.set(key, box)
    return box
  }

  async #work(key: string, box: Box<Command>) {
    for (;;) {
      const work = box.works.shift()
      if (work) await work()
      if (!box.due) {
        if (box.works.length > 0) continue
        break
      }
      const batch = box.commands.splice(0, commandsMax)
      box.due = box.commands.length > 0
      const since = performance.now()
      const taken = this.take(key, batch)
      const isExpensive = performance.now() - since > expensiveMs
      await taken
      if (isExpensive) await nextTurn()
    }
    box.busy = false
    if (box.commands.length > 0) this.#await(key)
    else this.#boxes.delete(key)
  }

  #await(key: string) {
    this.#patient.push(key)
    if (this.#timing) return
    this.#timing = true
    setTimeout(this.#tick, turnMs)
  }

  readonly #tick = () => {
    for (const key of this.#longPatient) this.hurry(key)
    this.#longPatient = this.#patient
    this.#patient = []
    this.#timing = this.#longPatient.length > 0
    if (this.#timing) setTimeout(this.#tick, turnMs)
  }

  /** The number of busy addresses. */
  get size() {
    return this.#boxes.size
  }
}
