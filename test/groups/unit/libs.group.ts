import { describeFiles } from '../describe-files';

describeFiles('libs');
