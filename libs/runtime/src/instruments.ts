import {
  type Attributes,
  type Histogram,
  type Meter,
  type MetricOptions,
  metrics,
} from '@opentelemetry/api';

/** A label whose values another place lists: said in words, and as what they look like. */
export interface ValueRule {
  readonly words: string;
  readonly pattern: RegExp;
}

/** Every label with the only values it can have: a metric never has more series than their product. */
export type LabelSets = Readonly<Record<string, readonly string[] | ValueRule>>;

/** Labels of one measurement; what does not apply is left out. */
export type LabelsOf<Sets extends LabelSets> = {
  readonly [Name in keyof Sets]?: Sets[Name] extends readonly (infer Value)[]
    ? Value
    : string | number;
};

export interface InstrumentSettings<Sets extends LabelSets> {
  /** Semantic conventions' where they have one, else `inventory.<noun>.<what>`. */
  readonly name: string;
  readonly description: string;
  readonly unit?: 's' | 'By';
  readonly labels?: Sets;
}

interface HistogramSettings<Sets extends LabelSets> extends InstrumentSettings<Sets> {
  /** Upper bounds, in the unit. */
  readonly buckets: readonly number[];
}

type Kind = 'counter' | 'up-down counter' | 'histogram' | 'gauge';

/** What the reference of metrics says of one. */
export interface DescribedInstrument extends InstrumentSettings<LabelSets> {
  readonly kind: Kind;
}

export interface Adding<Sets extends LabelSets> {
  add(value: number, labels?: LabelsOf<Sets>): void;
}
export interface Recording<Sets extends LabelSets> {
  record(value: number, labels?: LabelsOf<Sets>): void;
}
/** Reads what is to be told whenever metrics are collected; must be quick and must not throw. */
type Reading<Sets extends LabelSets> = (
  observe: (value: number, labels?: LabelsOf<Sets>) => void,
) => void;
export interface Observing<Sets extends LabelSets> {
  /** Reports until the returned function is called. */
  observe(read: Reading<Sets>): () => void;
}

/** Makes the instruments of one part of the product, each with a description of itself. */
export interface Instruments {
  counter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>): Adding<Sets>;
  upDownCounter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>): Adding<Sets>;
  histogram<const Sets extends LabelSets>(settings: HistogramSettings<Sets>): Recording<Sets>;
  gauge<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>): Observing<Sets>;
  /** A counter whose sum somebody else keeps. */
  observedCounter<const Sets extends LabelSets>(
    settings: InstrumentSettings<Sets>,
  ): Observing<Sets>;
}

/** From a millisecond to the longest that somebody waits for an answer. */
export const secondsBuckets: readonly number[] = [
  0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30,
];

const described: DescribedInstrument[] = [];

/** Every instrument that the loaded modules have made, in that order. */
export function describedInstruments(): readonly DescribedInstrument[] {
  return described;
}

/** Before telemetry is loaded a meter measures nothing and never will. */
export function instrumentsOf(meter: Meter = metrics.getMeter('@inventory')): Instruments {
  function optionsOf(kind: Kind, settings: InstrumentSettings<LabelSets>): MetricOptions {
    described.push({ ...settings, kind });
    const { description, unit } = settings;
    return unit === undefined ? { description } : { description, unit };
  }

  return {
    counter: (settings) => meter.createCounter(settings.name, optionsOf('counter', settings)),
    upDownCounter: (settings) =>
      meter.createUpDownCounter(settings.name, optionsOf('up-down counter', settings)),
    histogram: (settings): Histogram =>
      meter.createHistogram(settings.name, {
        ...optionsOf('histogram', settings),
        advice: { explicitBucketBoundaries: [...settings.buckets] },
      }),
    gauge: (settings) =>
      observing(meter.createObservableGauge(settings.name, optionsOf('gauge', settings))),
    observedCounter: (settings) =>
      observing(meter.createObservableCounter(settings.name, optionsOf('counter', settings))),
  };
}

interface Observable {
  addCallback(callback: (result: ObservedResult) => void): void;
  removeCallback(callback: (result: ObservedResult) => void): void;
}
interface ObservedResult {
  observe(value: number, attributes?: Attributes): void;
}

function observing<Sets extends LabelSets>(instrument: Observable): Observing<Sets> {
  return {
    observe(read) {
      const report = (result: ObservedResult): void =>
        read((value, labels) => result.observe(value, labels as Attributes | undefined));
      instrument.addCallback(report);
      return () => instrument.removeCallback(report);
    },
  };
}
