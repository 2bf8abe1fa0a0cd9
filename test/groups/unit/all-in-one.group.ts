import { describeFiles } from '../describe-files';

describeFiles('apps/all-in-one');
